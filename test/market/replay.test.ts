/** The short form of `npm run bench -- replay`. */
import { expect } from "chai";
import { expectedOf, type Figures } from "../../workshop/bench/replay/expected.ts";
import { type Lies, SHORT_DAY } from "../../workshop/bench/replay/faults.ts";
import { type Replayed, replayDay } from "../../workshop/bench/replay/run.ts";
import { compare, servedOf } from "../../workshop/bench/replay/served.ts";

describe("two hours around midnight in which something is always wrong", () => {
  let replayed: Replayed;
  let served: Figures;
  before(async function () {
    this.timeout(60_000);
    replayed = await replayDay(SHORT_DAY);
    served = await servedOf(replayed.db, replayed.world.tokens, replayed.endedAt);
  });
  after(() => replayed.db.destroy());

  const against = (lies: Lies) =>
    compare(
      served,
      expectedOf(replayed.rounds, { tokens: replayed.world.tokens, endedAt: replayed.endedAt, lies }),
    );

  it("two hours around midnight in which something is always wrong are served as an independent computation from the same answers has them, figure by figure", () => {
    const { compared, differing } = against(SHORT_DAY.lies);
    expect(differing).to.deep.equal([]);
    expect(compared).to.be.above(250);
  });

  it("serves other figures if any of the lies had counted", () => {
    const believing: readonly (readonly [lie: keyof Lies, series: string])[] = [
      ["reference", "premium bnb-xstocks"],
      ["mark", "basis hyperliquid"],
      ["pool", "premium bnb-ondo"],
      ["pool", "day"],
      ["ratio", "premium bnb-ondo"],
    ];
    for (const [lie, series] of believing) {
      const { differing } = against({ ...SHORT_DAY.lies, [lie]: () => false });
      const names = differing.map(({ name }) => name).filter((name) => name.startsWith(series));
      expect(names, `${lie}: ${series}`).to.have.length.above(0);
    }
  });
});
