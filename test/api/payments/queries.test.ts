/** What the paid phase asks the database with every request must not grow slower with every payment. */
import { expect } from "chai";
import { CompiledQuery } from "kysely";
import { findPurchase } from "../../../api/payments/bodyLedger.ts";
import { findJobPayments, markReleased, paymentOfJob } from "../../../api/payments/ledger.ts";
import { memoryDatabase } from "../../support/database.ts";
import { watching } from "../../support/watching.ts";

const payer = { address: "0xP", network: "eip155:1", signedBy: "own" } as const;

describe("the payments' queries on SQLite", () => {
  for (const [name, ask] of [
    ["the payment of a job", paymentOfJob],
    [
      "the payment of a job and the one that came",
      (db: any, jobId: string) =>
        findJobPayments(db, jobId, { network: "n", asset: "a", payer: "p", nonce: "0x" }),
    ],
    ["what a payer bought", (db: any) => findPurchase(db, { payer, intentHash: "0x", identifier: null }, 1)],
    ["noting a delivery", (db: any, jobId: string) => markReleased(db, jobId, 1)],
  ] as const)
    it(`the payments' queries on SQLite find ${name} by the index, and do not read the whole table`, async () => {
      await using db = await memoryDatabase();
      const compiled: CompiledQuery[] = [];
      const compiler = db.getExecutor();
      const spy = watching(({ node, queryId }) => compiled.push(compiler.compileQuery(node as any, queryId)));
      await ask(db.withPlugin(spy), "job_1");
      // The whole comes after its parts.
      const { sql, parameters } = compiled.at(-1) as CompiledQuery;
      const { rows } = await db.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
      );
      const plan = rows.map(({ detail }) => detail).join();
      expect(plan).to.include("SEARCH payments USING INDEX payments_of_job");
      expect(plan).not.to.include("SCAN");
    });
});
