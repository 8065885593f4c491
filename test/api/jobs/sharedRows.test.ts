/** Rows that reports share are locked in one order, so that transactions cannot deadlock. */
import { expect } from "chai";
import type { CompiledQuery } from "kysely";
import { forEachEngine } from "../../support/database.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

/** One statement may have several. */
const INSERTS = /insert into "(proofs|sample_batches)"/g;

/** But for the growth of the log, which is another's work. */
const OF_A_JOB = /"(jobs|liquidity_scores|impact_samples|proofs|sample_batches|reports|log_waiting)"/;

describe("rows that reports share", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const stored: string[] = [];
    const asked: string[] = [];
    const onQuery = ({ sql }: CompiledQuery) => {
      asked.push(sql);
      for (const [, table] of sql.matchAll(INSERTS)) stored.push(table as string);
    };
    const service = ofSuite(async () => startService(world, await engine.createUrl(), {}, { onQuery }));

    const order = async (work: () => Promise<unknown>): Promise<string[]> => {
      // New prices, a new block and new samples: nothing of it is stored yet.
      await world.tick(3_600);
      await service.recordLiquidity();
      stored.length = 0;
      await work();
      return [...stored];
    };

    it("rows that reports share are stored in one order with a new job, a new version of its report, and a report without a job", async () => {
      let jobId = "";
      const created = await order(async () => {
        ({ jobId } = await service.newJob());
      });
      expect(created).to.include.members(["proofs", "sample_batches"]);
      expect(await order(() => service.prepare(jobId, {}))).to.deep.equal(created);
      expect(await order(() => service.verify(service.verifyBody()))).to.deep.equal(created);
    });

    it("a job after the first of its block takes three ways to the database: known? liquidity? stored", async () => {
      await service.newJob();
      asked.length = 0;
      await service.newJob();
      const ofJob = asked.filter((sql) => OF_A_JOB.test(sql) && !sql.includes("log_tree"));
      const [known, liquidity, ...storing] = ofJob;
      expect(known).to.match(/^select .* from "jobs"/);
      expect(liquidity).to.match(/^select .* from "liquidity_scores"/);
      // SQLite is in the process: each of its statements is a call.
      if (engine.name === "sqlite") expect(storing).to.have.length(3);
      else expect(storing).to.have.length(1);
    });
  });
});
