import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { changeOf, type Word } from "../../../market/collect/actionRules.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { ListingState, MarketSources } from "../../../market/collect/sources.ts";
import { actionOf } from "../../../market/series/corporateActions.ts";
import { forEachEngine, rowsOf } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";

const NOW = 1_795_003_300;
const HASH = `0x${"ab".repeat(32)}`;
const ASSET = listedToken("AAPL", { address: "old" });
const { assetKey } = ASSET;

const announced = (at: number, effectiveAt: number): Word => {
  const schedule = { current: "1", next: "10", effectiveAt };
  const value = at < effectiveAt ? "1" : "10";
  const said = { assetKey, source: "issuer", value, kind: null, rawHash: HASH };
  return { ...said, change: changeOf(schedule, at) };
};
/** Rounds of one collector: each a minute later. */
function collector(db: Database) {
  let [memory, now] = [createMemory(), NOW];
  return {
    now: () => now,
    restart: () => {
      memory = createMemory();
    },
    async round(sources: MarketSources, seconds = 60) {
      now += seconds;
      const log = { warn() {}, error() {} };
      const more = { sessionAt: () => "regular", now: () => now * 1_000, log };
      const { steps } = await collectRound({ db, assets: [ASSET], sources, ...more }, memory, "prices");
      return steps.find(({ kind }) => kind === "actions")?.done;
    },
  };
}
const stored = async (db: Database) =>
  (await rowsOf(db, "corporate_actions")).map((row) => actionOf(row as any));
const words = (...rows: Word[]): MarketSources => ({ actionsOf: async () => ({ rows }) });
const lists = (...rows: Omit<ListingState, "assetKey">[]): MarketSources => ({
  listingsOf: async () => ({ rows: rows.map((row) => ({ assetKey, ...row })) }),
});

forEachEngine((engine) => {
  describe("the collection of corporate actions", () => {
    it("stores an announced split once, from several sources, and its application, over restarts", async () => {
      const db = await engine.create();
      const own = collector(db);
      const word = announced(NOW, NOW + 600);
      expect(await own.round(words(word))).to.equal(1);
      expect(await own.round(words({ ...word, rawHash: `0x${"cd".repeat(32)}` }))).to.equal(0);
      own.restart();
      expect(await own.round(words(word))).to.equal(0);
      const other = collector(db);
      expect(await other.round(words(word))).to.equal(0);
      own.restart();
      expect(await own.round(words(announced(NOW + 900, NOW + 600)), 900)).to.equal(1);
      const [action, ...more] = await stored(db);
      expect(more).to.eql([]);
      expect(action).to.include({ kind: "split", status: "applied", before: "1", after: "10", revision: 2 });
      expect(action).to.include({ effectiveAt: NOW + 600, announcedAt: NOW + 60, appliedAt: own.now() });
      expect(action?.told[0]).to.include({ source: "issuer", rawHash: HASH, seenAt: NOW + 60 });
    });

    it("notes a step of the share ratio that counts, and none that was turned away or that a restart hid", async () => {
      const db = await engine.create();
      const own = collector(db);
      const stated = { assetKey, source: "list", origin: "list", publishedAt: null, rawHash: HASH };
      const market = (sharesPerToken: string, tokenPriceUsd: string): MarketSources => ({
        pricesOf: async () => ({
          rows: [
            ...[
              {
                assetKey,
                source: "dex",
                origin: "dex",
                publishedAt: own.now(),
                kind: "quote",
                tokenPriceUsd,
              },
            ],
          ] as const,
        }),
        ratiosOf: async () => ({ rows: [{ ...stated, sharesPerToken }] }),
        referencesOf: async () => ({
          rows: [
            { underlying: "AAPL", source: "feed", origin: "feed", priceUsd: "100", publishedAt: own.now() },
          ],
        }),
      });
      expect(await own.round(market("1", "100"))).to.equal(0);
      // The token's price does not follow: it is turned away.
      expect(await own.round(market("2", "100"))).to.equal(0);
      expect(await own.round(market("1", "100"))).to.equal(0);
      own.restart();
      expect(await own.round(market("1.003", "100.3"))).to.equal(1);
      const [action] = await stored(db);
      expect(action).to.include({ kind: "dividend", status: "applied", inferred: true, effectiveAt: null });
      expect(action).to.include({ before: "1", after: "1.003", appliedAt: own.now(), at: own.now() });
      expect(action?.told[0]).to.include({ source: "list", announced: false, rawHash: HASH });
    });

    it("notes when a token is halted and when that ends, once each", async () => {
      const db = await engine.create();
      const own = collector(db);
      const says = (isHalted: boolean | null) =>
        lists({ source: "issuer", isHalted, state: "listed", rawHash: HASH });
      expect(await own.round(says(false))).to.equal(0);
      expect(await own.round(says(true))).to.equal(1);
      const begun = own.now();
      expect(await own.round(says(true))).to.equal(0);
      own.restart();
      expect(await own.round(says(null))).to.equal(0);
      expect(await own.round(says(false))).to.equal(1);
      expect(await own.round(says(false))).to.equal(0);
      expect(await own.round(says(true))).to.equal(1);
      const [first, second, ...more] = await stored(db);
      expect(more).to.eql([]);
      expect(first).to.include({
        kind: "halt",
        status: "ended",
        appliedAt: begun,
        revision: 2,
        inferred: false,
      });
      expect(second).to.include({
        kind: "halt",
        status: "applied",
        endedAt: null,
        before: null,
        after: null,
      });
      expect(first?.told[0]).to.include({ source: "issuer", rawHash: HASH });
    });

    it("notes a migration with both addresses where its issuer's list names the new one, and takes it back with the list", async () => {
      const db = await engine.create();
      const own = collector(db);
      const moved = { source: "issuer", isHalted: false, state: "migrated", rawHash: HASH } as const;
      expect(await own.round(lists(moved))).to.equal(0);
      expect(await own.round(lists({ ...moved, successor: "new" }))).to.equal(1);
      expect(await own.round(lists({ ...moved, successor: "new" }))).to.equal(0);
      expect((await stored(db))[0]).to.include({
        kind: "migration",
        status: "applied",
        before: "old",
        after: "new",
      });
      expect(await own.round(lists({ source: "issuer", isHalted: false, state: "listed" }))).to.equal(1);
      expect(await own.round(lists({ source: "issuer", isHalted: false, state: "listed" }))).to.equal(0);
      expect((await stored(db))[0]).to.include({ status: "withdrawn", endedAt: own.now() - 60 });
    });

    it("loses nothing where its source does not answer", async () => {
      const db = await engine.create();
      const own = collector(db);
      await own.round(words(announced(NOW, NOW + 600)));
      const actionsOf = async () => {
        throw new Error("down");
      };
      expect(await own.round({ actionsOf })).to.equal(0);
      expect(await own.round({})).to.equal(0);
      expect((await stored(db))[0]).to.include({ status: "announced", revision: 1 });
    });
  });
});
