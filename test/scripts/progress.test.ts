import { expect } from "chai";
import { progressOf } from "../../scripts/progress.ts";

describe("The progress of long work", () => {
  const told = (total: number | null, ...looks: [seconds: number, done: number][]) => {
    let now = 0;
    const lines: string[] = [];
    const tell = progressOf({ err: (line) => void lines.push(line), now: () => now }, "Hashing,", "entries");
    for (const [seconds, done] of looks) {
      now = seconds * 1_000;
      tell(done, total);
    }
    return lines;
  };

  it("is told every five seconds, with what is done, the total and the time left", () => {
    const looks: [number, number][] = [
      [0, 0],
      [4, 900],
      [6, 1_200],
      [7, 1_300],
      [12, 2_400],
    ];
    expect(told(4_000, ...looks)).to.deep.equal([
      "Hashing, 1,200 of 4,000 entries, about 14 s left",
      "Hashing, 2,400 of 4,000 entries, about 8 s left",
    ]);
  });

  it("says nothing of short work, and no time where nothing says how much is left", () => {
    expect(told(10, [0, 1], [1, 10])).to.deep.equal([]);
    expect(told(null, [0, 0], [6, 3])).to.deep.equal(["Hashing, 3 entries"]);
    expect(told(100, [0, 5], [6, 5])).to.deep.equal(["Hashing, 5 of 100 entries"]);
  });

  it("is in minutes where it is long", () => {
    expect(told(6_000, [0, 0], [6, 60])).to.deep.equal(["Hashing, 60 of 6,000 entries, about 10 min left"]);
  });
});
