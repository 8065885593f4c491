import { expect } from "chai";
import fc from "fast-check";
import { amendActions, type CorporateAction } from "../../../market/series/corporateActions.ts";
import { testDataApi } from "../../support/dataApi.ts";
import { forAlikeEngines } from "../../support/database.ts";
import { listedToken } from "../../support/samples.ts";

const NOW = Date.UTC(2026, 10, 25, 3) / 1_000;
const DAY = 86_400;
const HASH = `0x${"ab".repeat(32)}`;
const BNB = "0x9d275685dC284C8eB1C79f6ABA7a63Dc75ec890a";
const SOLANA = "XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp";
const ASSETS = [
  listedToken("AAPL", { assetKey: "bnb-AAPL", address: BNB }),
  listedToken("AAPL", { assetKey: "solana-AAPL", chain: "solana", address: SOLANA }),
  listedToken("TSLA", { assetKey: "bnb-TSLA", address: "0x8aD3c73F833d3F9A523aB01476625F269aEB7Cf0" }),
];

const told = (source: string, rawHash: string | null): CorporateAction["told"][number] => ({
  ...{ source, before: "1", after: "10", effectiveAt: NOW + DAY, kind: null, announced: true, rawHash },
  ...{ seenAt: NOW - 5, withdrawnAt: null },
});
const action = (assetKey: string, at: number, more: Partial<CorporateAction> = {}): CorporateAction => ({
  ...{ id: null, assetKey, kind: "split", status: "announced", state: "single", inferred: true },
  ...{ before: "1", after: "10", effectiveAt: at, announcedAt: NOW - 5, appliedAt: null, endedAt: null },
  ...{ at, told: [told("xstocks", HASH)], revision: 1, changedAt: NOW - 5 },
  ...more,
});
const halt = { kind: "halt", status: "applied", inferred: false, before: null, after: null } as const;
const STORED: CorporateAction[] = [
  action("solana-AAPL", NOW + DAY, { state: "agreed", told: [told("chain", null), told("xstocks", HASH)] }),
  action("bnb-TSLA", NOW - 3 * DAY, {
    ...halt,
    effectiveAt: null,
    announcedAt: null,
    appliedAt: NOW - 3 * DAY,
  }),
  action("bnb-AAPL", NOW - 3 * DAY, { kind: "dividend", status: "applied", appliedAt: NOW - 3 * DAY }),
  action("gone", NOW - 9 * DAY, { status: "withdrawn", endedAt: NOW - 8 * DAY }),
  action("bnb-AAPL", NOW - 3 * DAY, { kind: "migration", status: "applied", before: "0x1", after: BNB }),
];

forAlikeEngines((engine) => {
  describe("the corporate actions of the data API", () => {
    const { app, get } = testDataApi(async () => {
      const db = await engine.create();
      for (const one of STORED)
        await amendActions(db, [one.assetKey], (_, actions) => ({ actions: [...actions, one], words: [] }));
      return { db, data: { assets: ASSETS, simulated: true, now: () => NOW * 1_000 } };
    }, "/api/v1/corporate-actions");
    const kinds = async (query: string) =>
      (await get(query)).body.actions.map(({ kind, asset_key }: any) => `${kind} ${asset_key}`);

    it("tells of an action its figures, its times, and of each source what it says with the hash of what was read", async () => {
      const { body } = await get("?status=announced");
      expect(Object.keys(body)).to.eql(["attribution", "actions", "next_cursor"]);
      const [{ id, ...one }, ...more] = body.actions;
      expect(more).to.eql([]);
      expect(id).to.equal(1);
      const [ahead, seen] = ["2026-11-26T03:00:00.000Z", "2026-11-25T02:59:55.000Z"];
      const source = {
        value_before: "1",
        value_after: "10",
        effective_at: ahead,
        seen_at: seen,
        withdrawn_at: null,
      };
      expect(one).to.eql({
        ...{
          symbol: "AAPLx",
          chain: "solana",
          address: SOLANA,
          underlying: "AAPL",
          asset_key: "solana-AAPL",
        },
        ...{ kind: "split", status: "announced", state: "agreed", inferred: true },
        ...{ value_before: "1", value_after: "10", effective_at: ahead, announced_at: seen },
        ...{ applied_at: null, ended_at: null, at: ahead, source: "chain,xstocks", raw_hash: HASH },
        sources: [
          { source: "chain", raw_hash: null, ...source },
          { source: "xstocks", raw_hash: HASH, ...source },
        ],
        ...{ revision: 1, changed_at: seen },
      });
    });

    it("lists all oldest first, also those of tokens that are no longer listed", async () => {
      const { body } = await get();
      expect(body.actions.map(({ asset_key, symbol }: any) => [asset_key, symbol])).to.eql([
        ["gone", null],
        ["bnb-TSLA", "TSLAx"],
        ["bnb-AAPL", "AAPLx"],
        ["bnb-AAPL", "AAPLx"],
        ["solana-AAPL", "AAPLx"],
      ]);
      expect(body.next_cursor).to.equal(null);
    });

    it("finds them by token, stock, kind, status and time", async () => {
      expect(await kinds("?symbol=AAPLx&chain=solana")).to.eql(["split solana-AAPL"]);
      expect(await kinds(`?address=${BNB.toLowerCase()}`)).to.eql([
        "dividend bnb-AAPL",
        "migration bnb-AAPL",
      ]);
      expect(await kinds("?underlying=TSLA")).to.eql(["halt bnb-TSLA"]);
      expect(await kinds("?kind=halt,split&status=applied,announced")).to.eql([
        "halt bnb-TSLA",
        "split solana-AAPL",
      ]);
      expect(await kinds("?symbol=NOPE")).to.eql([]);
      expect(await kinds("?from=2026-11-25&to=2026-11-26T03:00:01Z")).to.eql(["split solana-AAPL"]);
      expect(await kinds("?from=2026-11-25&to=2026-11-26T03:00:00Z")).to.eql([]);
      expect(await kinds("?from=2026-11-26T03:00:00Z")).to.eql(["split solana-AAPL"]);
      expect(await kinds("?to=2026-11-17")).to.eql(["split gone"]);
    });

    it("lists at most so many, the oldest", async () => {
      const all = (await get()).body.actions;
      expect((await get("?limit=3")).body.actions).to.eql(all.slice(0, 3));
    });

    it("refuses what it does not know, and callers without a key", async () => {
      for (const query of [
        "kind=merger",
        "status=soon",
        "days=3",
        "limit=0",
        "limit=1001",
        "from=soon",
        "cursor=x",
        "format=csv",
        "chain=eth",
      ])
        expect((await get(`?${query}`)).status, query).to.equal(400);
      expect((await get("", null)).body.code).to.equal("missing_api_key");
    });
  });
});
