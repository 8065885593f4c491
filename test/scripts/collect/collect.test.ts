import { expect } from "chai";
import { createMarket } from "../../../market/round.ts";
import type { Source } from "../../../market/statement.ts";
import { memoryDatabase } from "../../support/database.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { ofTest } from "../../support/suite.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";

describe("assay collect", () => {
  const db = ofTest(memoryDatabase);

  const run = async (words: string, more: { fails?: boolean; whole?: boolean } = {}) => {
    const { world, shown: out, warned: err } = fakeConsole();
    const failures = more.fails ? [{ subject: "dexscreener", error: new Error("down") }] : [];
    const now = () => 1_795_003_200_000;
    const ask = async () => ({ statements: [], rejected: [], failures });
    const volumes: Source = { asks: "each", name: "dexscreener", of: ["volume"], ask };
    const log = { warn: () => {}, error: () => {} };
    const openMarket = {
      market: { db, assets: [], market: createMarket([volumes], now), sessionAt: () => "regular", now, log },
      backfill: async () => {
        out.push("filled");
        return more.whole ?? true;
      },
    };
    const code = await assayIn(["collect", ...wordsOf(words)], Object.assign(world, { openMarket }));
    return { code, out, err };
  };

  it("makes one round, with a row for each kind and its figures", async () => {
    const { code, out } = await run("once");
    expect(code).to.equal(0);
    const [head, ...rows] = out.map((line) => line.trim().split(/\s+/).join(" "));
    expect(head).to.equal("stored failed rejected");
    const kinds =
      "days listings bases premiums volumes references impacts scores actions providers retention".split(" ");
    // Steps run beside each other: each says when it has ended.
    expect(rows).to.have.members(kinds.map((kind) => `${kind} 0 0 0`));
  });

  it("says what could not be had, also by its exit code", async () => {
    const { code, out } = await run("once", { fails: true });
    expect(code).to.equal(1);
    expect(out.at(-1)).to.equal("Missing: volumes: dexscreener");
  });

  it("fills the past, and tells by its exit code whether all of it came", async () => {
    expect(await run("backfill")).to.deep.equal({ code: 0, out: ["filled"], err: [] });
    expect((await run("backfill", { whole: false })).code).to.equal(1);
  });

  it("shows how it is going, also as JSON", async () => {
    const [lines, json] = [await run("status"), await run("status --json")];
    expect([lines.code, json.code]).to.deep.equal([0, 0]);
    expect(JSON.parse(json.out.join("\n"))).to.be.an("object");
  });
});
