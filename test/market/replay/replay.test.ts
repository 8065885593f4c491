/** Days of market data with faults through the collectors; `npm test` plays the short one, `npm test -- --all` both. */
import { expect } from "chai";
import { expectedOf, type Figures } from "./expected.ts";
import { DAY, type Lies, type Schedule, SHORT_DAY } from "./faults.ts";
import { type Replayed, replayDay } from "./replayDay.ts";
import { compare, servedOf } from "./served.ts";

interface Day {
  readonly replayed: Replayed;
  readonly served: Figures;
}

async function played(schedule: Schedule): Promise<Day> {
  const replayed = await replayDay(schedule);
  await using db = replayed.db;
  return { replayed, served: await servedOf(db, replayed.world.tokens, replayed.endedAt) };
}

const against = ({ replayed: { rounds, world, endedAt }, served }: Day, lies: Lies) =>
  compare(served, expectedOf(rounds, { tokens: world.tokens, endedAt, lies }));

describe("a replayed day in which something is always wrong", () => {
  let day: Day;
  before(async () => {
    day = await played(SHORT_DAY);
  });

  it("two hours around midnight in which something is always wrong are served as an independent computation from the same answers has them, figure by figure", () => {
    const { compared, differing } = against(day, SHORT_DAY.lies);
    expect(differing).to.deep.equal([]);
    expect(compared).to.be.above(250);
  });

  it("other figures would be served if any of the lies had counted", () => {
    const believing: readonly (readonly [lie: keyof Lies, series: string])[] = [
      ["reference", "premium bnb-xstocks"],
      ["mark", "basis hyperliquid"],
      ["pool", "premium bnb-ondo"],
      ["pool", "day"],
      ["ratio", "premium bnb-ondo"],
    ];
    for (const [lie, series] of believing) {
      const { differing } = against(day, { ...SHORT_DAY.lies, [lie]: () => false });
      const names = differing.map(({ name }) => name).filter((name) => name.startsWith(series));
      expect(names, `${lie}: ${series}`).to.have.length.above(0);
    }
  });

  if (process.env.ASSAY_TEST_ALL)
    it("a whole day in which something is always wrong is served as an independent computation has it", async function () {
      this.timeout(300_000);
      const { compared, differing } = against(await played(DAY), DAY.lies);
      expect(differing).to.deep.equal([]);
      expect(compared).to.be.above(2_000);
    });
});
