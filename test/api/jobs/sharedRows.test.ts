/** Rows that reports share are locked in one order, so that transactions cannot deadlock. */
import { expect } from "chai";
import type { CompiledQuery } from "kysely";
import { forEachEngine } from "../../support/database.ts";
import { startService } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

/** One statement may have several. */
const INSERTS = /insert into "(proofs|sample_batches)"/g;

describe("rows that reports share", () => {
  const world = testWorld();

  forEachEngine((engine) => {
    const stored: string[] = [];
    const onQuery = ({ sql }: CompiledQuery) => {
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

    it("are stored in one order with a new job, a new version of its report, and a report without a job", async () => {
      let jobId = "";
      const created = await order(async () => {
        ({ jobId } = await service.newJob());
      });
      expect(created).to.include.members(["proofs", "sample_batches"]);
      expect(await order(() => service.prepare(jobId, {}))).to.deep.equal(created);
      const { clientRequestId: _, ...body } = service.jobBody();
      expect(await order(() => service.post("/a2mcp/verify", body))).to.deep.equal(created);
    });
  });
});
