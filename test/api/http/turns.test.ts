import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { nextTurn } from "../../../api/http/turns.ts";

describe("turns of heavy work", () => {
  it("turns of heavy work come one in each round of the event loop, in the order in which they were asked for", async () => {
    let round = 0;
    let isOver = false;
    const counting = (async () => {
      while (!isOver) {
        round++;
        await setImmediate();
      }
    })();
    const turns: { who: string; round: number }[] = [];
    const work = async (who: string) => {
      for (let piece = 0; piece < 3; piece++) {
        await nextTurn();
        turns.push({ who, round });
      }
    };
    await Promise.all(["a", "b", "c", "d"].map(work));
    isOver = true;
    await counting;
    expect(turns.map(({ who }) => who).join("")).to.equal("abcdabcdabcd");
    expect(new Set(turns.map((turn) => turn.round)).size).to.equal(turns.length);
  });
});
