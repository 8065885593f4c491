/** What the rehearsal's table says of promises. */
import { expect } from "chai";
import type { Row } from "../../rehearse/cluster/run.ts";
import { lineOf } from "../../rehearse/cluster/table.ts";

const ROW: Row = {
  fault: "A fault",
  errors: "none",
  recoveredMs: 0,
  lost: 0,
  doubled: 0,
  fastMs: 0,
  p99: 51.2,
  broken: [],
};
const promises = (changes: Partial<Row>): string =>
  lineOf({ ...ROW, ...changes })
    .split(" | ")
    .at(-1)!;

describe("the rehearsal's table", () => {
  it("says of a fault what was seen, and that the promises were kept", () => {
    expect(lineOf(ROW)).to.equal("| A fault | none | at once | 0 | 0 | 51 ms | at once | kept |");
  });

  it("tells what was lost and what was late", () => {
    const row = { broken: ["lost: job_1", "recovery took more than 10 s"] };
    expect(promises(row)).to.equal("BROKEN: lost: job_1; recovery took more than 10 s |");
  });
});
