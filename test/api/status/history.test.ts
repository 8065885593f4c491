/** The checks behind /status, and the ninety days that are kept of them. */
import { expect } from "chai";
import { createChecks } from "../../../api/status/checks.ts";
import { HISTORY_DAYS, statusHistory } from "../../../api/status/history.ts";
import { fenced } from "../../../database/fenced.ts";
import { type Fence, takeLease } from "../../../database/lease.ts";
import type { Database } from "../../../database/open.ts";
import { addRows, forEachEngine, rowsOf } from "../../support/database.ts";

const START = Date.UTC(2025, 10, 14, 15);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * A process that checks, whose parts and clock the test moves.
 * @param fence of its lease; null: it need not have one
 * @param signs whether it asks for signed prices
 */
function process(db: Database, clock: { now: number }, fence: Fence | null = null, signs = true) {
  const broken = new Set<"database" | "chain" | "signedPrices">();
  const warnings: string[] = [];
  const probe = (part: "database" | "chain" | "signedPrices") => async () => {
    if (broken.has(part)) throw new Error(`${part} is away`);
  };
  // While the database is away nothing of it answers.
  const unlessBroken = (whole: Database) =>
    new Proxy(whole, {
      get: (target, name) => {
        if (broken.has("database")) throw new Error("the database is away");
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const checks = createChecks({
    db: unlessBroken(db),
    leased: unlessBroken(fence === null ? db : fenced(db, fence)),
    probes: { database: probe("database"), chain: probe("chain") },
    probeSigned: signs ? probe("signedPrices") : null,
    collects: true,
    now: () => clock.now,
    log: { warn: (_details, message) => void warnings.push(message) },
  });
  return { ...checks, broken, warnings };
}

forEachEngine((engine) => {
  describe("the history of checks", () => {
    let db: Database;
    let clock: { now: number };
    beforeEach(async () => {
      db = await engine.create();
      clock = { now: START };
    });

    const historyOf = async (part: string) =>
      (await statusHistory(db, Math.floor(clock.now / 1_000))).find((history) => history.part === part);

    it("counts the checks of a day, and says since when a part is as it is", async () => {
      const one = process(db, clock);
      await one.round();
      one.broken.add("chain");
      clock.now += MINUTE;
      await one.round();
      clock.now += MINUTE;
      await one.round();
      const chain = await historyOf("chain");
      expect(chain?.works).to.equal(false);
      expect(chain?.since).to.equal((START + MINUTE) / 1_000);
      expect(chain?.checkedAt).to.equal(clock.now / 1_000);
      expect(chain?.days).to.have.length(HISTORY_DAYS);
      expect(chain?.days.at(-1)).to.deep.equal({ good: 1, bad: 2 });
      expect(chain?.days.at(-2)).to.equal(null);
      expect((await historyOf("database"))?.days.at(-1)).to.deep.equal({ good: 3, bad: 0 });
      expect((await historyOf("log"))?.works).to.equal(true);
      expect((await historyOf("watcher"))?.works).to.equal(true);
      // No round has ended yet: nothing is said of the collector.
      expect(await historyOf("collector")).to.equal(undefined);
    });

    it("knows collector, watcher and providers by what they left, and a provider whose figures are excluded does not work", async () => {
      const seconds = START / 1_000;
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
      await process(db, clock).round();
      const works = { wrong: false, again: true, well: true, ill: false, unasked: undefined };
      for (const [provider, does] of Object.entries(works))
        expect((await historyOf(`provider/${provider}`))?.works, provider).to.equal(does);
      expect((await historyOf("collector"))?.works).to.equal(false);
    });

    it("says since when no publisher has given a signed price, and nothing where none is asked for", async () => {
      await process(db, clock, null, false).round();
      expect(await historyOf("signedPrices")).to.equal(undefined);
      const one = process(db, clock);
      await one.round();
      expect((await historyOf("signedPrices"))?.works).to.equal(true);
      one.broken.add("signedPrices");
      for (const _ of [1, 2]) {
        clock.now += MINUTE;
        await one.round();
      }
      expect(await historyOf("signedPrices")).to.include({ works: false, since: (START + MINUTE) / 1_000 });
    });

    it("keeps ninety days and no more", async () => {
      const one = process(db, clock);
      for (let day = 0; day < HISTORY_DAYS + 5; day++) {
        await one.round();
        clock.now += DAY;
      }
      clock.now -= DAY;
      expect(await rowsOf(db, "status_days", { part: "chain" })).to.have.length(HISTORY_DAYS);
      expect((await historyOf("chain"))?.days.every((day) => day?.good === 1)).to.equal(true);
    });

    it("forgets a part that nobody has checked for ninety days", async () => {
      const long = START / 1_000 - 91 * 86_400;
      await addRows(db, "status_parts", { part: "provider/gone", works: 1, since: 1, checked_at: long });
      await process(db, clock).round();
      expect(await historyOf("provider/gone")).to.equal(undefined);
    });

    it("keeps an outage of the database in mind, and stores it once it is back", async () => {
      const one = process(db, clock);
      await one.round();
      one.broken.add("database");
      for (let minute = 0; minute < 5; minute++) {
        clock.now += MINUTE;
        await one.round();
      }
      expect(one.warnings).to.have.length(5);
      one.broken.delete("database");
      clock.now += MINUTE;
      await one.round();
      expect((await historyOf("database"))?.days.at(-1)).to.deep.equal({ good: 2, bad: 5 });
      expect((await historyOf("chain"))?.days.at(-1)).to.deep.equal({ good: 7, bad: 0 });
    });

    it("the history of checks is written by who has the lease, and what a leader saw of an outage is not lost with it", async () => {
      const leaseOf = (holder: string) => ({ db, holder, ttlMs: MINUTE / 2, now: () => clock.now });
      const one = process(db, clock, await takeLease(leaseOf("one"), "status"));
      await one.round();
      one.broken.add("database");
      for (let minute = 0; minute < 4; minute++) {
        clock.now += MINUTE;
        await one.round();
      }
      const two = process(db, clock, await takeLease(leaseOf("two"), "status"));
      await two.round();
      one.broken.delete("database");
      await one.round();
      await one.round();
      await one.end();
      expect((await historyOf("database"))?.days.at(-1)).to.deep.equal({ good: 2, bad: 4 });
      expect((await historyOf("chain"))?.days.at(-1)).to.deep.equal({ good: 6, bad: 0 });
    });
  });
});
