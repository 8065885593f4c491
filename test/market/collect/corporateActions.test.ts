import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import type { ListingState, MarketSources } from "../../../market/collect/sources.ts";
import { type Announcement, listActions } from "../../../market/series/corporateActions.ts";
import { forEachEngine } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";

const NOW = 1_795_003_300;
const HASH = `0x${"ab".repeat(32)}`;
const ASSET = listedToken("AAPL", { address: "old" });
const { assetKey } = ASSET;

const split: Announcement = {
  assetKey,
  kind: "split",
  before: "1",
  after: "10",
  effectiveAt: NOW + 600,
  source: "issuer",
  rawHash: HASH,
};

/** Rounds of one collector: each a minute later. */
function collector(db: Database) {
  const memory = createMemory();
  let now = NOW;
  return {
    now: () => now,
    async round(sources: MarketSources, seconds = 60) {
      now += seconds;
      const log = { warn() {}, error() {} };
      const more = { sessionAt: () => "regular", now: () => now * 1_000, log };
      const { steps } = await collectRound({ db, assets: [ASSET], sources, ...more }, memory, "prices");
      return steps.find(({ kind }) => kind === "actions")?.done;
    },
  };
}
const stored = (db: Database) => listActions(db, { limit: 10 });
const announced = (...rows: Announcement[]): MarketSources => ({ actionsOf: async () => ({ rows }) });
const lists = (...rows: Omit<ListingState, "assetKey">[]): MarketSources => ({
  listingsOf: async () => ({ rows: rows.map((row) => ({ assetKey, ...row })) }),
});

forEachEngine((engine) => {
  describe("the collection of corporate actions", () => {
    it("stores what a source announces once, whoever reads it, and also after it took effect", async () => {
      const db = await engine.create();
      const own = collector(db);
      expect(await own.round(announced(split))).to.equal(1);
      const later = { ...split, rawHash: `0x${"cd".repeat(32)}` };
      expect(await own.round(announced(later))).to.equal(0);
      expect(await collector(db).round(announced(split))).to.equal(0);
      expect(await own.round(announced({ ...split, before: null }), 900)).to.equal(0);
      const [action, ...more] = await stored(db);
      expect(more).to.eql([]);
      expect(action).to.include({ ...split, announcedAt: NOW + 60, at: NOW + 600 });
    });

    it("stores what another source announces, and what the same one announces anew, beside it", async () => {
      const db = await engine.create();
      const own = collector(db);
      expect(await own.round(announced(split, { ...split, source: "chain", kind: "multiplier" }))).to.equal(
        2,
      );
      expect(await own.round(announced({ ...split, effectiveAt: NOW + 900 }))).to.equal(1);
      expect(await own.round(announced({ ...split, effectiveAt: null }))).to.equal(1);
      expect(await own.round(announced({ ...split, effectiveAt: null }))).to.equal(0);
      expect((await stored(db)).map(({ source, at }) => `${source} ${at - NOW}`)).to.eql([
        "issuer 180",
        "issuer 600",
        "chain 600",
        "issuer 900",
      ]);
    });

    it("does not say that it has read an announcement of what was in effect by then", async () => {
      const db = await engine.create();
      await collector(db).round(announced({ ...split, effectiveAt: NOW - 600 }));
      expect((await stored(db))[0]).to.include({ announcedAt: null, at: NOW - 600 });
    });

    it("stores a migration with both addresses where its issuer's list names the new one", async () => {
      const db = await engine.create();
      const own = collector(db);
      const moved = { source: "issuer", isHalted: false, state: "migrated", rawHash: HASH } as const;
      expect(await own.round(lists(moved))).to.equal(0);
      expect(await own.round(lists({ ...moved, successor: "new" }))).to.equal(1);
      expect(await own.round(lists({ ...moved, successor: "new" }))).to.equal(0);
      const [action] = await stored(db);
      expect(action).to.include({ kind: "migration", before: "old", after: "new", rawHash: HASH });
    });

    it("loses nothing where its source does not answer", async () => {
      const db = await engine.create();
      const own = collector(db);
      await own.round(announced(split));
      const actionsOf = async () => {
        throw new Error("down");
      };
      expect(await own.round({ actionsOf })).to.equal(0);
      expect(await own.round({})).to.equal(0);
      expect(await stored(db)).to.have.length(1);
    });
  });
});
