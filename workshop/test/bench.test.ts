/** docs/benchmarks.md against the benches that write it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import BENCHES from "../bench/benches.json" with { type: "json" };
import { commandsIn, replaced, withTops } from "../bench/page.ts";
import { summed } from "../bench/parts/profile.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/benchmarks.md"), "utf8");

describe("docs/benchmarks.md", () => {
  it("has a place for every bench, once", () => {
    const names = commandsIn(PAGE).map((command) => command.split(" ")[0]);
    expect(names.sort()).to.deep.equal(
      Object.keys(BENCHES)
        .filter((name) => name !== "report")
        .sort(),
    );
  });

  it("lists all targets of its sections at the top, unchanged", () => {
    expect(withTops(PAGE)).to.equal(PAGE);
    const table =
      "| target | wanted | measured | result |\n| --- | --- | --- | --- |\n| speed | at least 1 | 0.5 | **missed** |";
    const changed = withTops(replaced(PAGE, "bench mcp", table));
    const top = changed.slice(0, changed.indexOf("<!-- /targets -->"));
    expect(top).to.include("| speed | at least 1 | 0.5 | **missed** |").and.to.not.include("MCP: ");
  });

  it("lists what paths consist of at the top", () => {
    const table =
      "| path | promised | overhead | waiting |\n| --- | --- | --- | --- |\n| a way | all 90 % | rest 10 % | 5 % |";
    const changed = withTops(replaced(PAGE, "bench gas", table));
    expect(changed.slice(0, changed.indexOf("<!-- /parts -->"))).to.include(
      "| a way | all 90 % | rest 10 % | 5 % |",
    );
  });

  it("refuses a section that has no place", () => {
    expect(() => replaced(PAGE, "bench nothing", "")).to.throw(
      "docs/benchmarks.md has no <!-- bench nothing -->",
    );
  });
});

describe("parts of a profile", () => {
  const ROOT = new URL("../..", import.meta.url).href;
  const frame = (functionName: string, url = "") => ({
    ...{ functionName, url, scriptId: "0", lineNumber: 0, columnNumber: 0 },
  });
  /** Each frame is called by the one before; each has one sample of its own time. */
  const partsOfCalls = (calls: readonly (readonly [name: string, url: string, micros: number])[]) => {
    const nodes = calls.map(([name, url], index) => ({
      ...{ id: index + 1, callFrame: frame(name, url) },
      children: index + 1 < calls.length ? [index + 2] : [],
    }));
    return summed({
      ...{ nodes, startTime: 0, endTime: 0 },
      samples: nodes.map(({ id }) => id),
      timeDeltas: calls.map(([, , micros]) => micros),
    });
  };
  const sharesOf = (calls: Parameters<typeof partsOfCalls>[0]) =>
    Object.fromEntries(partsOfCalls(calls).shares.map(({ name, share }) => [name, Number(share.toFixed(2))]));

  it("belong to the room or the library whose file a function is in", () => {
    const found = partsOfCalls([
      ["judge", `${ROOT}attestor/checks/quote.ts`, 60],
      ["handle", `${ROOT}node_modules/express/lib/application.js`, 40],
    ]);
    expect(found.shares).to.deep.equal([
      { name: "evidence and checks", promised: true, share: 0.6 },
      { name: "Express", promised: false, share: 0.4 },
    ]);
  });

  it("give native code to its caller, SQLite and writes to sockets apart", () => {
    expect(
      sharesOf([
        ["judge", `${ROOT}attestor/checks/quote.ts`, 10],
        ["stringify", "", 20],
        ["run", `${ROOT}database/sqlite.ts`, 10],
        ["all", "", 30],
      ]),
    ).to.deep.equal({
      ...{ "evidence and checks": 0.43, "statements built": 0.14 },
      "statements and commits of SQLite": 0.43,
    });
    expect(
      sharesOf([
        ["end", "node:_http_outgoing", 25],
        ["writev", "", 75],
      ]),
    ).to.deep.equal({ "Node.js": 0.25, "writes to sockets": 0.75 });
  });

  it("leave out the bench, and tell waiting from work", () => {
    const found = partsOfCalls([
      ["round", `${ROOT}workshop/bench/attest.ts`, 30],
      ["(idle)", "", 50],
      ["sign", `${ROOT}node_modules/@noble/curves/ecdsa.js`, 20],
    ]);
    expect(found).to.deep.equal({ waiting: 0.5, shares: [{ name: "signatures", promised: true, share: 1 }] });
  });
});
