import { expect } from "chai";
import type { Database } from "../../../database/open.ts";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { createMarket, type Market } from "../../../market/round.ts";
import { type ActionKind, listActions } from "../../../market/series/corporateActions.ts";
import type { AnnouncedAction, Answer, Kind, ListingState, Statement } from "../../../market/statement.ts";
import { forEachEngine } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";

const NOW = 1_795_003_300;
const HASH = `0x${"ab".repeat(32)}`;
const ASSET = listedToken("AAPL", { address: "old" });
const { assetKey } = ASSET;

const stated = { subject: assetKey, source: "issuer", origin: "issuer", at: null, rawHash: HASH };
const split: AnnouncedAction = {
  ...stated,
  of: "action",
  kind: "split" satisfies ActionKind,
  before: "1",
  figure: "10",
  effectiveAt: NOW + 600,
};
/** As it is stored. */
const SPLIT = { assetKey, kind: "split", before: "1", after: "10", source: "issuer", rawHash: HASH };

/** Rounds of one collector: each a minute later. */
function collector(db: Database) {
  const memory = createMemory();
  let now = NOW;
  return {
    now: () => now,
    async round(market: Market, seconds = 60) {
      now += seconds;
      const log = { warn() {}, error() {} };
      const more = { sessionAt: () => "regular", now: () => now * 1_000, log };
      const { steps } = await collectRound({ db, assets: [ASSET], market, ...more }, memory, "prices");
      return steps.find(({ kind }) => kind === "actions")?.done;
    },
  };
}
const stored = (db: Database) => listActions(db, { limit: 10 });
const marketOf = (of: Kind, ask: () => Promise<Answer>): Market =>
  createMarket([{ asks: "each", name: "issuer", of: [of], ask }], () => NOW * 1_000);
const stating = (of: Kind, ...statements: Statement[]) =>
  marketOf(of, async () => ({ statements, rejected: [] }));
const announced = (...actions: AnnouncedAction[]) => stating("action", ...actions);

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
      expect(action).to.include({ ...SPLIT, effectiveAt: NOW + 600, announcedAt: NOW + 60, at: NOW + 600 });
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
      const moved = { ...stated, of: "listing", figure: "migrated", isHalted: false } as const;
      const at = (...addresses: string[]) =>
        stating("listing", { ...moved, addresses } satisfies ListingState);
      expect(await own.round(at())).to.equal(0);
      expect(await own.round(at("new", "newer"))).to.equal(0);
      expect(await own.round(at("new"))).to.equal(1);
      expect(await own.round(at("new"))).to.equal(0);
      const [action] = await stored(db);
      expect(action).to.include({ kind: "migration", before: "old", after: "new", rawHash: HASH });
    });

    it("loses nothing where its source does not answer", async () => {
      const db = await engine.create();
      const own = collector(db);
      await own.round(announced(split));
      const ask = async () => {
        throw new Error("down");
      };
      expect(await own.round(marketOf("action", ask))).to.equal(0);
      expect(await own.round(createMarket([], own.now))).to.equal(0);
      expect(await stored(db)).to.have.length(1);
    });
  });
});
