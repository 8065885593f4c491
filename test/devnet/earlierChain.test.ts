import { expect } from "chai";
import type { Database } from "../../database/open.ts";
import { endEarlierChain } from "../../devnet/earlierChain.ts";
import { addRows, countOf, forEachEngine, rowOf } from "../support/database.ts";
import { addJob, addPayment } from "../support/paymentRows.ts";

const NOW = 1_795_003_300;
const [FIRST, SECOND] = [`0x${"01".repeat(32)}`, `0x${"02".repeat(32)}`];

const begin = (db: Database, genesisHash: string) => endEarlierChain(db, 31_337, genesisHash);

async function addExecution(db: Database, id: string, state: "submitted" | "confirmed"): Promise<void> {
  await addRows(db, "executions", {
    id,
    job_id: await addJob(db, NOW),
    transaction_hash: `0x${id.padStart(64, "0")}`,
    report_version: null,
    state,
    confirmed: null,
    reason: null,
    submitted_at: NOW,
    next_look_at: NOW * 1_000,
  });
}

describe("a database that refers to an earlier local chain", () => {
  forEachEngine((engine) => {
    it("has payments that were being settled fail with that reason, and lets their jobs be paid again", async () => {
      const db = await engine.create();
      expect(await begin(db, FIRST)).to.deep.equal({ payments: 0, transactions: 0 });
      const open = { state: "settling", next_look_at: NOW * 1_000 } as const;
      const jobId = await addPayment(db, NOW, open);
      const settled = await addPayment(db, NOW);
      const elsewhere = await addPayment(db, NOW, { ...open, network: "eip155:56" });

      expect(await begin(db, FIRST), "the same chain, as after a restart of the API alone").to.equal(null);
      expect(await rowOf(db, "payments", { job_id: jobId })).to.include({ state: "settling" });

      expect(await begin(db, SECOND)).to.include({ payments: 1 });
      const ended = { state: "expired", fault: "earlier_chain", transaction_hash: null };
      expect(await rowOf(db, "payments", { job_id: jobId })).to.include(ended);
      expect(await rowOf(db, "payments", { job_id: settled })).to.include({ state: "settled", fault: null });
      expect(await rowOf(db, "payments", { job_id: elsewhere })).to.include({ state: "settling" });
      // The job has room for another payment.
      await addPayment(db, NOW + 1, { job_id: jobId });
      expect(await begin(db, SECOND)).to.equal(null);
    });

    it("drops transactions that were not confirmed, and looks for none of its chain any more", async () => {
      const db = await engine.create();
      await begin(db, FIRST);
      await addExecution(db, "1", "submitted");
      await addExecution(db, "2", "confirmed");
      expect(await begin(db, SECOND)).to.include({ transactions: 1 });
      const dropped = await rowOf(db, "executions", { id: "1" });
      expect(dropped).to.include({ state: "dropped", next_look_at: null });
      expect(dropped?.reason).to.contain("earlier local chain");
      const confirmed = { state: "confirmed", reason: null, next_look_at: null };
      expect(await rowOf(db, "executions", { id: "2" })).to.include(confirmed);
    });

    it("reads the new chain's events from its beginning", async () => {
      const db = await engine.create();
      await begin(db, FIRST);
      for (const name of ["trades/31337/0xaa", "final/31337/0xaa", "final/56/0xaa"])
        await addRows(db, "chain_cursors", { name, block: 500 });
      await begin(db, SECOND);
      expect(await rowOf(db, "chain_cursors", { name: "final/56/0xaa" })).to.include({
        name: "final/56/0xaa",
      });
      expect(await countOf(db, "chain_cursors"), "that of the other chain, and of this one").to.equal(2);
    });
  });
});
