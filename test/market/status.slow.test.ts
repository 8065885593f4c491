import { expect } from "chai";
import { measureMarket } from "../../api/metrics/market.ts";
import { createMetrics } from "../../api/metrics/metrics.ts";
import type { Database } from "../../database/open.ts";
import { collectRound, type Part } from "../../market/collect/collect.ts";
import { createMemory } from "../../market/collect/round.ts";
import { type MarketStatus, marketStatus } from "../../market/status.ts";
import { statusLines } from "../../scripts/collect/status.ts";
import { addRows, forEachEngine } from "../support/database.ts";
import { patching } from "../support/providers/patches.ts";
import { replayCollector, startReplay } from "../support/providers/replay.ts";
import { replayWorld } from "../support/providers/replayWorld.ts";
import { ofTest } from "../support/suite.ts";

function expositionOf(status: MarketStatus): Promise<string> {
  const metrics = createMetrics();
  measureMarket(metrics, async () => status);
  return metrics.metrics();
}

describe("the state of the market's collection", () => {
  forEachEngine((engine) => {
    let db: Database;
    const replay = ofTest(() => startReplay(replayWorld(["AAPL", "TSLA"])));
    let logged: { level: string; fields: Record<string, unknown>; message: string }[];
    beforeEach(async () => {
      db = await engine.create();
      logged = [];
    });
    const assets = () => replay.world.tokens;
    const round = (part?: Part) => {
      const log = (level: string) => (fields: object, message: string) =>
        logged.push({ level, fields: { ...fields }, message });
      const deps = replayCollector(replay, db, { log: { warn: log("warn"), error: log("error") } });
      return collectRound(deps, createMemory(), part);
    };
    const status = (later = 0) => marketStatus(db, assets(), replay.world.now + later);

    it("tells of each provider, series and round, and which tokens have no price", async () => {
      expect((await status()).round).to.equal(null);
      // The replay's clock moves with each wait: beside those of prices, the quotes of a sample would be apart.
      for (const part of ["impacts", "prices"] as const) await round(part);
      for (const name of ["jupiter", "dexscreener"]) replay.world.down.add(name);
      replay.world.now += 4_000;
      await round();
      const { providers, series, setAside, round: last, unpriced } = await status(100);
      const of = (name: string) => providers.find(({ provider }) => provider === name);
      expect(of("pyth")?.lastSuccessAgo).to.equal(100);
      expect(of("jupiter")?.lastSuccessAgo).to.equal(4_100);
      expect(of("jupiter")?.failures["status 503"]).to.be.greaterThan(2);
      const told = series.map(({ kind, count }) => `${kind} ${count}`).join(", ");
      expect(told).to.equal("basis/binance 2, basis/hyperliquid 2, impact 6, premium 6, volume 6");
      expect(last?.endedAgo).to.equal(100);
      expect(setAside).to.deep.equal([]);
      // Without lists and pools nobody prices a token on Solana.
      expect(unpriced.map(({ assetKey }) => assetKey)).to.deep.equal([
        "solana-xstocks-AAPL",
        "solana-xstocks-TSLA",
      ]);
      const lines = statusLines(await status(100)).join("\n");
      expect(lines).to.match(/jupiter +silent +68 min ago +\d+ +.*status 503: \d+/);
      expect(lines).to.include("Tokens without a price in the last hour: 2\n  AAPLx (xstocks, solana)");
      const metrics = await expositionOf(await status(100));
      expect(metrics).to.include('assay_market_provider_last_success_seconds{provider="jupiter"} 4100');
      expect(metrics).to.include("assay_market_unpriced_tokens 2");
      expect(metrics).to.match(
        /assay_market_provider_requests\{provider="jupiter",outcome="status 503"\} \d/,
      );
    });

    it("tells how many figures rest on what and for how long, whose figures are excluded, and which rounds were left out", async () => {
      const { now } = replay.world;
      const row = (kind: string, subject: string, state: string, since: number, seen = 60) =>
        ({ kind, subject, state, since: now - since, seen_at: now - seen }) as const;
      const rows = [
        row("premium", "a", "single", 3_600),
        row("premium", "b", "single", 3_599),
        row("premium", "c", "disputed", 9_000),
        // Nobody has seen them since.
        row("premium", "d", "single", 9_000, 3_600),
        row("listing", "a", "missing", 90_000, 80_000),
        row("listing", "b", "missing", 90_000, 86_400),
        row("provider", "jupiter", "excluded", 2_000),
        row("provider", "pyth", "excluded", 2_000, 900),
        row("provider", "kyberswap", "counts", 2_000),
      ];
      await addRows(db, "market_figures", ...rows);
      for (const [part, ago] of Object.entries({ prices: 300, "impacts of bnb": 86_401 }))
        await addRows(db, "market_state", { name: `skipped/${part}`, value: now - ago });
      const outcome = { hour: Math.floor(now / 3_600), provider: "pyth", kind: "ok", count: 1 };
      await addRows(db, "provider_outcomes", { ...outcome, last_at: now - 20 });
      const found = await status();
      expect(found.figures).to.deep.equal([
        { kind: "listing", state: "missing", count: 1, forAnHour: 1 },
        { kind: "premium", state: "disputed", count: 1, forAnHour: 1 },
        { kind: "premium", state: "single", count: 2, forAnHour: 1 },
      ]);
      expect(found.providers.map(({ provider, excludedFor }) => [provider, excludedFor])).to.deep.equal([
        ["jupiter", 2_000],
        ["pyth", null],
      ]);
      const lines = statusLines(found).join("\n");
      expect(lines).to.match(/jupiter +excluded for 33 min +none/);
      expect(lines).to.match(/pyth +works +20 s ago/);
      expect(lines).to.match(/premium +single +2 +1\n/);
      expect(lines).to.include("A round of prices was left out 5 min ago.");
      const metrics = await expositionOf(found);
      for (const sample of [
        'assay_market_figures{kind="premium",state="disputed"} 1',
        'assay_market_single_hour{kind="premium"} 1',
        'assay_market_listing{state="missing"} 1',
        'assay_market_provider_excluded_seconds{provider="jupiter"} 2000',
        'assay_market_round_skipped_seconds{round="prices"} 300',
      ])
        expect(metrics).to.include(sample);
      expect(metrics).not.to.include('excluded_seconds{provider="pyth"}');
      expect(metrics).not.to.include("impacts of bnb");
      expect(metrics).not.to.include('assay_market_figures{kind="listing"');
    });

    it("counts what was excluded by reason", async () => {
      const lie = { of: "^pyth.*4141504c", at: "parsed.*.price.price", times: 1.9 };
      replay.world.rewrite = patching([lie], () => replay.world.now);
      await round();
      expect((await status()).setAside).to.deep.equal([{ kind: "reference", reason: "outlier", count: 2 }]);
      expect(await expositionOf(await status())).to.include(
        'assay_market_set_aside{kind="reference",reason="outlier"} 2',
      );
    });

    const renamed = (from: string, to: string) => (body: unknown) =>
      JSON.parse(JSON.stringify(body).replaceAll(`"${from}":`, `"${to}":`));
    for (const [provider, field, from, times] of [
      // Any pool may lack its liquidity: the four of Solana are too few to tell.
      ["dexscreener", "liquidity.usd", "liquidity", 8],
      ["dexscreener", "baseToken", "baseToken", 12],
      // A list none of whose rows can be read is one fault.
      ["jupiter", "usdPrice", "usdPrice", 1],
      // Of stocks two, of the dollar one: whoever meets it first tells it.
      ["pyth", "price", "price", [1, 2]],
      ["hyperliquid", "oraclePx", "oraclePx", 1],
      ["binance", "indexPrice", "indexPrice", 1],
      ["pancakeswap", "best.outputAmount", "outputAmount", 4],
    ] as const)
      it(`warns once of ${provider}'s field ${field} that has another name, with its count`, async () => {
        const rename = renamed(from, "renamed");
        replay.world.rewrite = (name, body) => (name === provider ? rename(body) : body);
        await round();
        // Others say that figures rest on fewer sources.
        const warnings = logged.filter(({ level, fields }) => level === "warn" && "field" in fields);
        expect(warnings.map(({ fields }) => [fields.provider, fields.field])).to.deep.equal([
          [provider, field],
        ]);
        expect(warnings[0]?.fields.count).to.be.oneOf([times].flat());
        expect(warnings[0]?.message).to.include(`${provider} answers in an unexpected shape: ${field} `);
      });

    it("says a failure once, however many tokens it costs", async () => {
      for (const name of ["pancakeswap", "kyberswap"]) replay.world.down.add(name);
      await round();
      const lines = logged.filter(({ fields }) => fields.kind === "premiums");
      expect(lines.reduce((sum, { fields }) => sum + Number(fields.count), 0)).to.equal(4);
      // Both answer with an error, then one is cut off, and then the other.
      expect(lines.length).to.be.at.most(3);
    });
  });
});
