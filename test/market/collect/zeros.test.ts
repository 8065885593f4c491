import { expect } from "chai";
import { collectRound } from "../../../market/collect/collect.ts";
import { createMemory } from "../../../market/collect/round.ts";
import { liquidityScores } from "../../../market/queries.ts";
import type { ImpactState } from "../../../market/statement.ts";
import { memoryDatabase, rowsOf } from "../../support/database.ts";
import { listedToken, rejections } from "../../support/samples.ts";
import { ofTest } from "../../support/suite.ts";
import { type Ask, by, deps, NOW } from "./madeUpMarket.ts";

const TICKERS = ["AAPL", "TSLA", "NVDA"];

type Impact = Pick<ImpactState, "figure" | "impact1kBps">;
const FREE: Impact = { figure: "0", impact1kBps: "0" };
const NO_ROUTE: Impact = { figure: null, impact1kBps: null };
const SOUND: Impact = { figure: "40", impact1kBps: "4" };

describe("a source of impacts that says the same of every token", () => {
  const db = ofTest(memoryDatabase);

  /** @param impacts by ticker @returns the tickers that were measured, and what became of the rest */
  async function measured(impacts: Readonly<Record<string, Impact>>) {
    const tokens = Object.keys(impacts).map((ticker) => listedToken(ticker));
    const impact: Ask = async (asked) =>
      asked.map(({ assetKey: subject, underlying }) => ({
        of: "impact",
        subject,
        ...by("dex", null),
        tinyPrice: null,
        paidIn: "usd",
        ...(impacts[underlying] ?? NO_ROUTE),
      }));
    await collectRound(deps(db, { impact }, { assets: tokens }), createMemory(), "impacts");
    const keys = tokens.map(({ assetKey }) => assetKey);
    const scores = await liquidityScores(db, keys, NOW);
    return {
      scored: scores.filter(({ sampleN }) => sampleN > 0).map(({ assetKey }) => assetKey),
      rejected: (await rejections(db)).map(({ reason }) => reason),
      figures: await rowsOf(db, "market_figures", { kind: "provider" }),
    };
  }

  const all = (impact: Impact) => Object.fromEntries(TICKERS.map((ticker) => [ticker, impact]));

  for (const [said, impact, reason] of [
    ["costs nothing", FREE, "zero_everywhere"],
    ["has no route", NO_ROUTE, "no_route_everywhere"],
  ] as const)
    it(`is excluded where each of them ${said}, and no token has a score by it`, async () => {
      const { scored, rejected, figures } = await measured(all(impact));
      expect(scored).to.eql([]);
      expect(rejected).to.eql([reason]);
      expect(figures.map(({ subject, state }) => `${subject} ${state}`)).to.eql(["dex excluded"]);
    });

  it("is believed with them where it measures another, however late that comes", async () => {
    const { scored, rejected } = await measured({ AAPL: FREE, TSLA: NO_ROUTE, NVDA: SOUND, META: FREE });
    expect(scored).to.have.members(["key-AAPL", "key-TSLA", "key-NVDA", "key-META"]);
    expect(rejected).to.eql([]);
  });

  it("is believed of a token that is the only one", async () => {
    expect((await measured({ AAPL: NO_ROUTE })).scored).to.eql(["key-AAPL"]);
  });
});
