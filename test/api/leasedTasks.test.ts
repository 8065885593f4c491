/** Works in the background and their leases, without the tasks. */
import { expect } from "chai";
import { startLeasedTasks } from "../../api/leasedTasks.ts";
import { forEachEngine } from "../support/database.ts";
import { until } from "../support/until.ts";

describe("tasks in the background", () => {
  forEachEngine((engine) => {
    const db = engine.database();

    it("tasks in the background keep their lease while they end, however long that takes, and give it back then", async () => {
      const warned: string[] = [];
      const ended = Promise.withResolvers<void>();
      let begun = false;
      let stops = 0;
      const tasks = startLeasedTasks(
        {
          db,
          holder: "one",
          now: Date.now,
          monotonic: () => performance.now(),
          log: { info: () => {}, warn: (_details, message) => warned.push(message) },
        },
        [
          {
            name: "slow",
            start: () => {
              begun = true;
              return {
                stop: () => {
                  stops++;
                  return ended.promise;
                },
              };
            },
          },
        ],
      );
      const lease = () =>
        db.selectFrom("leases").selectAll().where("name", "=", "slow").executeTakeFirstOrThrow();
      await until("it has begun", () => begun);
      const stopping = tasks.stop();
      const { renewed_at_ms: before } = await lease();
      await until("it is renewed twice", async () => (await lease()).renewed_at_ms >= before + 1_500);
      ended.resolve();
      await stopping;
      expect((await lease()).holder).to.equal("");
      expect({ stops, warned }).to.deep.equal({ stops: 1, warned: [] });
    });
  });
});
