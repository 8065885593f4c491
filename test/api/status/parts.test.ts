/** Which parts of the service work, by the rules of /status. */
import { expect } from "chai";
import { createSignedCheck, findParts } from "../../../api/status/parts.ts";
import { addRows, forEachEngine } from "../../support/database.ts";

const NOW = Date.UTC(2025, 10, 14, 15);

forEachEngine((engine) => {
  describe("the parts of the service", () => {
    const db = engine.database();
    const down = new Set<"database" | "chain">();
    const find = (checkSigned: Parameters<typeof findParts>[0]["checkSigned"] = null) => {
      const stateOf = (part: "database" | "chain"): "up" | "down" => (down.has(part) ? "down" : "up");
      const health = async () => ({
        checks: { database: stateOf("database"), chain: stateOf("chain") },
        databaseReason: null,
        log: null,
      });
      return findParts({ db, health, checkSigned, collects: true, now: () => NOW });
    };
    beforeEach(() => down.clear());

    it("the parts of the service work or not at the moment; what nobody knows is left out", async () => {
      down.add("chain");
      const found = await find(async () => "down");
      expect(Object.fromEntries(found)).to.include({ database: true, chain: false, signedPrices: false });
      expect(Object.fromEntries(found)).to.include({ log: true, watcher: true });
      // No round has ended yet: nothing is said of the collector.
      expect(found.has("collector")).to.equal(false);
      expect((await find()).has("signedPrices")).to.equal(false);
      down.add("database");
      expect(Object.fromEntries(await find())).to.deep.equal({ database: false, chain: false });
    });

    it("the collector and the providers are known by what they left, and one whose figures are excluded does not work", async () => {
      const seconds = NOW / 1_000;
      await addRows(db, "market_state", { name: "round_ended_at", value: seconds - 901 });
      for (const [provider, kind, ago] of [
        ["well", "ok", 600],
        ["well", "timeout", 5],
        ["wrong", "ok", 5],
        ["again", "ok", 5],
        ["ill", "timeout", 5],
        ["unasked", "ok", 7_200],
      ] as const) {
        const last_at = seconds - ago;
        const outcome = { hour: Math.floor(last_at / 3_600), provider, kind, count: 1, last_at };
        await addRows(db, "provider_outcomes", outcome);
      }
      const excluded = { kind: "provider", state: "excluded", since: seconds - 5_000 };
      for (const [subject, ago] of Object.entries({ wrong: 899, again: 900 }))
        await addRows(db, "market_figures", { ...excluded, subject, seen_at: seconds - ago });
      const found = await find();
      const works = { wrong: false, again: true, well: true, ill: false, unasked: undefined };
      for (const [provider, does] of Object.entries(works))
        expect(found.get(`provider/${provider}`), provider).to.equal(does);
      expect(found.get("collector")).to.equal(false);
    });
  });
});

describe("the check of signed prices", () => {
  it("the check of signed prices asks publishers once a minute at most", async () => {
    let now = 5;
    let asked = 0;
    const publisher = async () => {
      if (asked++ > 0) throw new Error("no publisher answers");
    };
    const check = createSignedCheck(publisher, () => now);
    expect(await Promise.all([check(), check()])).to.deep.equal(["up", "up"]);
    now += 59_999;
    expect(await check()).to.equal("up");
    now++;
    expect(await check()).to.equal("down");
    expect(asked).to.equal(2);
  });
});
