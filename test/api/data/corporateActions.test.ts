import { expect } from "chai";
import { type Announcement, recordActions } from "../../../market/series/corporateActions.ts";
import { testDataApi } from "../../support/dataApi.ts";
import { forEachEngine } from "../../support/database.ts";
import { ADDRESSES, listedToken } from "../../support/samples.ts";

const NOW = Date.UTC(2026, 10, 25, 3) / 1_000;
const DAY = 86_400;
const HASH = `0x${"ab".repeat(32)}`;
const { appleOnBnb: BNB, appleOnSolana: SOLANA, teslaOnBnb: TESLA } = ADDRESSES;
const ASSETS = [
  listedToken("AAPL", { assetKey: "bnb-AAPL", address: BNB }),
  listedToken("AAPL", { assetKey: "solana-AAPL", chain: "solana", address: SOLANA }),
  listedToken("TSLA", { assetKey: "bnb-TSLA", address: TESLA }),
];

const action = (assetKey: string, effectiveAt: number, more: Partial<Announcement> = {}): Announcement => ({
  assetKey,
  kind: "split",
  before: "1",
  after: "10",
  effectiveAt,
  source: "xstocks",
  rawHash: HASH,
  ...more,
});
const STORED = [
  action("solana-AAPL", NOW + DAY),
  action("bnb-TSLA", NOW - 3 * DAY, { kind: "multiplier", rawHash: null }),
  action("bnb-AAPL", NOW - 3 * DAY, { kind: "dividend" }),
  action("gone", NOW - 9 * DAY),
  action("bnb-AAPL", NOW - 3 * DAY, { kind: "migration", before: "0x1", after: BNB }),
];

forEachEngine((engine) => {
  describe("the corporate actions of the data API", () => {
    const { get } = testDataApi(async () => {
      const db = await engine.create();
      await recordActions(db, STORED, NOW - 5);
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1_000 } };
    }, "/api/v1/corporate-actions");
    const kinds = async (query: string) =>
      (await get(query)).body.actions.map(({ kind, asset_key }: any) => `${kind} ${asset_key}`);

    it("a corporate action has its figures, its times and its source, with the hash of what was read", async () => {
      const { body } = await get("?from=2026-11-25");
      expect(Object.keys(body)).to.eql(["attribution", "actions"]);
      expect(body.actions).to.eql([
        {
          id: 1,
          symbol: "AAPLx",
          chain: "solana",
          address: SOLANA,
          underlying: "AAPL",
          asset_key: "solana-AAPL",
          kind: "split",
          value_before: "1",
          value_after: "10",
          effective_at: "2026-11-26T03:00:00.000Z",
          announced_at: "2026-11-25T02:59:55.000Z",
          at: "2026-11-26T03:00:00.000Z",
          source: "xstocks",
          raw_hash: HASH,
        },
      ]);
      const [past] = (await get("?kind=multiplier")).body.actions;
      expect(past).to.include({ announced_at: null, at: "2026-11-22T03:00:00.000Z", raw_hash: null });
    });

    it("corporate actions are listed oldest first, also those of tokens that are no longer listed", async () => {
      const { body } = await get();
      expect(body.actions.map(({ asset_key, symbol }: any) => [asset_key, symbol])).to.eql([
        ["gone", null],
        ["bnb-TSLA", "TSLAx"],
        ["bnb-AAPL", "AAPLx"],
        ["bnb-AAPL", "AAPLx"],
        ["solana-AAPL", "AAPLx"],
      ]);
    });

    it("corporate actions are found by token, stock, kind and time", async () => {
      expect(await kinds("?symbol=AAPLx&chain=solana")).to.eql(["split solana-AAPL"]);
      expect(await kinds(`?address=${BNB.toLowerCase()}`)).to.eql([
        "dividend bnb-AAPL",
        "migration bnb-AAPL",
      ]);
      expect(await kinds("?underlying=TSLA")).to.eql(["multiplier bnb-TSLA"]);
      expect(await kinds("?kind=multiplier,split")).to.eql([
        "split gone",
        "multiplier bnb-TSLA",
        "split solana-AAPL",
      ]);
      expect(await kinds("?symbol=NOPE")).to.eql([]);
      expect(await kinds("?from=2026-11-25&to=2026-11-26T03:00:01Z")).to.eql(["split solana-AAPL"]);
      expect(await kinds("?from=2026-11-25&to=2026-11-26T03:00:00Z")).to.eql([]);
      expect(await kinds("?from=2026-11-26T03:00:00Z")).to.eql(["split solana-AAPL"]);
      expect(await kinds("?to=2026-11-17")).to.eql(["split gone"]);
    });

    it("corporate actions are as many as asked for, the oldest", async () => {
      const all = (await get()).body.actions;
      expect((await get("?limit=3")).body.actions).to.eql(all.slice(0, 3));
    });

    it("corporate actions are refused to parameters that are not known", async () => {
      for (const query of [
        "kind=merger",
        "status=applied",
        "days=3",
        "limit=0",
        "limit=1001",
        "from=soon",
        "cursor=x",
        "format=csv",
        "chain=eth",
      ])
        expect((await get(`?${query}`)).status, query).to.equal(400);
      const message = "must be a date or a date-time, UTC, such as 2026-11-25 or 2026-11-25T14:00:00Z";
      expect((await get("?from=soon")).body.errors).to.deep.equal([{ path: "from", message }]);
    });
  });
});
