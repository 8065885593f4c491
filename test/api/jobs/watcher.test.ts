/** The watcher's judgement over time. The chain's answers are given, so that a block can be reorganized away. */
import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { listExecutions } from "../../../api/jobs/executions.ts";
import { submitTransaction } from "../../../api/jobs/submit.ts";
import { startWatcher, type Watcher } from "../../../api/jobs/watcher.ts";
import { createKeys } from "../../../api/keys/keys.ts";
import { jobIdHash } from "../../../attestor/certificate/certificate.ts";
import type { Chain } from "../../../chain/chain.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import type { Observation } from "../../../chain/transactions.ts";
import { addRows, changeRows, forEachEngine } from "../../support/database.ts";
import { APPLICANT } from "../../support/http.ts";
import { jobRow, reportRow } from "../../support/paymentRows.ts";
import { until } from "../../support/until.ts";

const EVIDENCE_HASH = `0x${"e1".repeat(32)}`;
const HASH = `0x${"ab".repeat(32)}`;
const NO_ASSETS = { version: "1", assets: [], routes: [] };
const GUARD = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

function mined(jobId: string, confirmations: number, changes: object = {}): Observation {
  return {
    state: "mined",
    blockNumber: 10,
    blockHash: `0x${"b0".repeat(32)}`,
    blockTimestamp: 1_763_000_000,
    confirmations,
    gasUsed: 150_000n,
    succeeded: true,
    guardCall: null,
    trades: [{ jobId: jobIdHash(jobId), evidenceHash: EVIDENCE_HASH, amountSpent: 5n, amountOut: 7n }],
    ...changes,
  };
}

describe("the watcher", () => {
  forEachEngine((engine) => {
    const db = engine.database();
    let watcher: Watcher;
    let now: number;
    let answer: () => Observation;
    let looks: number;
    let jobId: string;
    let away: boolean;

    beforeEach(async () => {
      now = 1_763_000_000_000;
      looks = 0;
      away = false;
      jobId = `job_${randomBytes(8).toString("hex")}`;
      const { record } = await createKeys({ db, now: () => now, randomBytes }).create(APPLICANT, "test");
      const job = jobRow(jobId, now / 1000, { key_id: record.id, token_digest: null, last_version: 2 });
      await addRows(db, "jobs", job);
      const report = { version: 2, kind: "prepare", evidence_hash: EVIDENCE_HASH } as const;
      await addRows(db, "reports", reportRow(jobId, now / 1000, report));
      await db.deleteFrom("executions").execute();
      const chain = {
        deployment: { chainId: 31337, guard: GUARD, deployedAtBlock: 0, registry: NO_ASSETS },
        head: async () => {
          if (away) throw new UpstreamUnavailable("away");
          return 10;
        },
        tradesBetween: async () => [],
        observe: async () => {
          looks++;
          return answer();
        },
      } as unknown as Chain;
      await submitTransaction(
        { db, now: () => now, random: randomBytes },
        { id: jobId, keyId: record.id },
        HASH,
      );
      watcher = startWatcher({
        db,
        chain,
        now: () => now,
        finalityBlocks: 5,
        // Rounds are asked for by the test alone, after the one at the start.
        pollMs: 3_600_000,
        idleRounds: 1,
        log: { warn: () => {} },
      });
      answer = () => ({ state: "unknown" });
      await watcher.tick();
      await until("a look", () => looks);
    });
    afterEach(() => watcher.stop());

    /** The database's content after one more look, so many milliseconds later. */
    const look = async (observation: Observation | Error, later = 3_600_001) => {
      away = observation instanceof Error;
      answer = () => {
        if (observation instanceof Error) throw observation;
        return observation;
      };
      now += later;
      await watcher.tick();
      const [execution] = await listExecutions(db, jobId);
      return execution!;
    };

    it("the watcher takes a confirmation back when the block is reorganized away, and gives it again", async () => {
      const confirmed = await look(mined(jobId, 1));
      expect(confirmed).to.include({ state: "confirmed", report_version: 2 });
      const figures = { confirmations: 1, amountInRaw: "5", amountOutRaw: "7" };
      expect(JSON.parse(confirmed.confirmed!)).to.include(figures);
      const away = await look({ state: "pending" });
      expect(away).to.include({ state: "submitted", confirmed: null });
      expect(away.reason).to.include("reorganization");
      const again = await look(mined(jobId, 2, { blockNumber: 11 }));
      expect(again).to.include({ state: "confirmed", reason: null });
      expect(JSON.parse(again.confirmed!).blockNumber).to.equal(11);
    });

    it("the watcher looks no more once the block is deep enough", async () => {
      expect((await look(mined(jobId, 4))).next_look_at).to.be.a("number");
      expect((await look(mined(jobId, 5))).next_look_at).to.equal(null);
      const before = looks;
      await look(mined(jobId, 9));
      expect(looks).to.equal(before);
    });

    it("the watcher drops a transaction that no node knows for a quarter of an hour, and confirms one that comes after all", async () => {
      const unknownAfter = async (minutes: number) => {
        await changeRows(db, "executions", { next_look_at: 0 }, { job_id: jobId });
        return look({ state: "unknown" }, minutes * 60_000);
      };
      expect(await unknownAfter(15)).to.include({ state: "submitted" });
      expect(await unknownAfter(1)).to.include({ state: "dropped", confirmed: null });
      expect((await look(mined(jobId, 1))).state).to.equal("confirmed");
    });

    it("the watcher gives a transaction up that no node knows for more than a day", async () => {
      now += 26 * 3_600_000;
      const execution = await look({ state: "unknown" });
      expect(execution).to.include({ state: "dropped", next_look_at: null });
    });

    it("the watcher changes nothing while the chain does not answer, and goes on afterwards", async () => {
      const before = await look(mined(jobId, 1));
      expect(await look(new UpstreamUnavailable("away"))).to.deep.equal(before);
      expect((await look(mined(jobId, 6))).next_look_at).to.equal(null);
    });

    it("the watcher does not count an event of this job on evidence that is none of its reports'", async () => {
      const trades = [
        { jobId: jobIdHash(jobId), evidenceHash: `0x${"0f".repeat(32)}`, amountSpent: 1n, amountOut: 1n },
      ];
      expect((await look(mined(jobId, 1, { trades }))).state).to.equal("mismatched");
    });
  });
});
