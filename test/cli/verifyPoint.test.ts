/** `assay verify --point`: points of a saved answer by the log's key, by the real program. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { vkeyText } from "../../attestor/log/note.ts";
import { LOG_KEY } from "../support/logged.ts";
import { assay as inProcess } from "../support/programs.ts";
import { ANSWER, HOUR, proofsOf, shownWithProof, signedPoint } from "../support/signedPoints.ts";
import { testFolder } from "../support/suite.ts";

const VKEY = vkeyText(LOG_KEY);

describe("assay verify --point", () => {
  const folder = testFolder("points");
  const assay = async (content: unknown, ...args: string[]) => {
    const path = join(folder, "answer.json");
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    const { code, out, err } = await inProcess(["verify", "--point", path, ...args]);
    return { code, lines: `${out}${err}`.trim().split("\n") };
  };

  /** Two points of one hour. */
  async function answer() {
    const before = signedPoint({ t: HOUR - 3_600 });
    const [, proof] = await proofsOf([signedPoint(), before]);
    const first = await shownWithProof(signedPoint(), [before]);
    return { ...ANSWER, points: [{ ...first, ts: "2026-07-30T13:00:00.000Z", proof: proof! }, first] };
  }

  it("says VALID of each point of an answer, and exits with 0", async () => {
    const { code, lines } = await assay(await answer(), "--log-key", VKEY);
    expect(code, lines.join("\n")).to.equal(0);
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^VALID +2026-07-30T13:00:00\.000Z {2}premium\/eip155:56:0x\w+, revision 1$/);
    expect(lines[2]).to.match(/^VALID: all 2 points\. The first: The log assay\.example\.com\/log\/2026, /);
  });

  it("takes one point, and prints each step", async () => {
    const { code, lines } = await assay((await answer()).points[1], "--log-key", VKEY);
    expect(code).to.equal(0);
    expect(lines.join("\n"))
      .to.match(/^ok +point .*\n/m)
      .and.match(/^ok +root +It is point 0 of 2 written/m);
    expect(lines.at(-1)).to.match(/^VALID: The log .* which you trust, signed it as entry 1\.$/);
  });

  it("says INVALID and names the point where one figure is another, and exits with 1", async () => {
    const changed = await answer();
    changed.points[1]!.premium_bps = 151;
    const { code, lines } = await assay(changed, "--log-key", VKEY);
    expect(code).to.equal(1);
    expect(lines[0]).to.match(/^VALID /);
    expect(lines[1]).to.match(/^INVALID +2026-07-30T14.*revision 1: .*: premium_bps\.$/);
    expect(lines[2]).to.match(/^INVALID: 1 INVALID, 1 VALID of 2 points\. The first: Do not act/);
  });

  it("says UNVERIFIABLE without the log's key and before an hour is signed, and exits with 2", async () => {
    const whole = await answer();
    const keyless = await assay(whole);
    expect([keyless.code, keyless.lines.at(-1)!.slice(0, 12)]).to.deep.equal([2, "UNVERIFIABLE"]);
    const [first] = whole.points;
    const unsigned = await assay({ ...whole, points: [{ ...first, proof: null }] }, "--log-key", VKEY);
    expect([unsigned.code, unsigned.lines.at(-1)]).to.deep.equal([
      2,
      "UNVERIFIABLE: The log had not signed it yet. It signs a point within two hours after the point's hour: ask again then.",
    ]);
  });

  it("gives the same as JSON", async () => {
    const { code, lines } = await assay(await answer(), "--log-key", VKEY, "--json");
    const { verdict, points } = JSON.parse(lines.join("\n"));
    expect([code, verdict, points.length]).to.deep.equal([0, "VALID", 2]);
    expect(points[1]).to.include({ verdict: "VALID", t: HOUR, revision: 1 });
    expect(points[1].steps[0]).to.have.keys("name", "outcome", "detail");
  });

  it("refuses what is no answer, and options that do not go with it", async () => {
    for (const content of ["no JSON", "{}", '{"points":[]}', '{"points":1,"points":2}'])
      expect((await assay(content, "--log-key", VKEY)).code, content).to.be.above(0);
    expect((await assay(await answer(), "--rpc", "http://localhost:1")).code).to.equal(2);
    expect((await assay(await answer(), "--log-key", "x")).code).to.equal(2);
  });
});
