/** The renderer of the pages, from values alone: what it makes of hostile texts, and of figures. */
import { expect } from "chai";
import fc from "fast-check";
import { readAssets } from "../../api/pages/assets.ts";
import { factsOf } from "../../attestor/factKinds.ts";
import { judgedView } from "../../attestor/view/reportView.ts";
import { bps } from "../../web/format.ts";
import type { Frame, Hour, MarketPage, MarketRow, Page, Token } from "../../web/props.ts";
import { namedDocument } from "../support/vectors.ts";

const NOW = 1_763_133_600;
const HOUR = 3_600;
/** It ends attributes, elements and scripts, turns the direction of writing around, and is long. */
const HOSTILE = `<img src=x onerror=x()></script></title>'"&\u202e${"W".repeat(160)}`;

const { renderer } = readAssets();
const frame: Frame = {
  language: "en",
  explicit: false,
  path: "/",
  simulated: false,
  version: "1.2.3",
  origin: "http://127.0.0.1",
  style: "",
  entry: () => null,
};
const render = (page: Page, change: Partial<Frame> = {}) => renderer!.render(page, { ...frame, ...change });

const TOKEN: Token = {
  symbol: "AAPLx",
  underlying: "AAPL",
  nameEn: "Apple",
  nameCn: "苹果",
  issuer: "xstocks",
  chain: "bnb",
  address: `0x${"1".repeat(40)}`,
  path: "/tokens/AAPLx",
};

const rowOf = (week: MarketRow["week"]): MarketRow => ({
  token: TOKEN,
  newest: {
    hour: NOW,
    premium: -4.5,
    state: "agreed",
    spread: 1.5,
    halted: true,
    source: "jupiter",
    session: "regular",
  },
  week,
  low: -9,
  high: 9,
  liquidityUsd: 1e6,
  volumeUsd: null,
  priceUsd: "213.4",
  grade: "A",
});

const marketOf = (rows: readonly MarketRow[], hasPrices = false): MarketPage => ({
  name: "market",
  now: NOW,
  rows,
  hasPrices,
  pages: 2,
  issuers: ["xstocks"],
  chains: ["bnb"],
  choice: {
    search: "a",
    issuer: null,
    chain: null,
    session: null,
    sort: "premium",
    ascending: false,
    page: 1,
  },
  session: { state: "regular", closesAt: NOW + HOUR },
  totals: { volumeUsd: 5, liquidityUsd: null, tokens: 2, withData: 1 },
  days: ["2025-11-11", "2025-11-12"].map((day) => ({ day, volumeUsd: 4, liquidityUsd: 5 })),
});

const HOURS: readonly Hour[] = [2, 1].map((ago) => ({
  hour: NOW - ago * HOUR,
  close: "1.5",
  low: null,
  high: "2",
  second: "-3",
  session: "closed",
  source: "pancakeswap",
  reference: "pyth",
  age: 12,
  samples: 3,
  state: "agreed" as const,
  secondState: null,
  spread: "0.5",
  halted: false,
}));

function pages(): Page[] {
  const report = JSON.parse(namedDocument("a prepared buy of TSLAx for 250 dollars").document).report;
  const unverified = {
    steps: [],
    reservations: [],
    facts: factsOf(report.evidence),
    intentHash: null,
    issuance: null,
  };
  const executed = {
    chain: "bnb",
    transactionHash: "0x12",
    blockNumber: 7,
    blockHash: "0x34",
    amountInRaw: "1",
    amountOutRaw: "2",
    at: NOW,
    explorer: null,
  };
  return [
    marketOf([rowOf([[NOW, 1]])], true),
    {
      name: "token",
      token: TOKEN,
      unpriced: "why",
      days: 1,
      series: { from: NOW - 3 * HOUR, to: NOW, premium: HOURS, venue: "hyperliquid", basis: HOURS },
    },
    {
      name: "report",
      hash: "0xab",
      stored: {
        judged: judgedView(report, unverified, report),
        executed,
        tokenPath: "/tokens/x",
        service: {
          guard: { chainId: 1, address: "0x12" },
          signers: ["0x34"],
          logKeys: [],
          paths: { policy: "/policies/0x1", registry: "/registry/0x2", samples: null },
        },
      },
    },
    {
      name: "status",
      now: NOW,
      log: null,
      logFault: "why",
      signer: "0x12",
      nextSigner: null,
      parts: [{ name: "provider/jupiter", works: false }],
      tasks: [{ name: "watcher", ago: 3, isAway: false }],
      changes: [{ call: "pause()", operation: "0x12", readyAt: NOW }],
      market: {
        round: { endedAgo: 3, took: 4 },
        setAside: [{ kind: "premium", reason: "late", count: 2 }],
        series: [{ kind: "premium", count: 1, newestAgo: 2, oldestAgo: 3 }],
        providers: [{ provider: "jupiter", lastSuccessAgo: 2, successes: 3, failures: { timeout: 1 } }],
        figures: [{ kind: "premium", state: "agreed", count: 1, forAnHour: 0 }],
        unpriced: [{ symbol: "AAPLx", chain: "bnb" }],
      },
    },
    { name: "docs", viewer: null, documents: [{ name: "calls.md", about: "the guard" }] },
    { name: "refused", status: 404, detail: "nothing" },
  ];
}

/** Texts that decide what is shown, and come from no provider, issuer or document. */
const OURS = ["name", "side", "unit", "kind", "outcome", "decision", "state", "sort", "close", "second"];
const FIGURES = ["low", "high", "spread", "priceUsd", "amountInRaw", "amountOutRaw", "path", "day"];

describe("the renderer of the pages", () => {
  it("prints texts of others as text, in every place of every page and in both languages", () => {
    for (const page of pages()) {
      const hostile = JSON.parse(JSON.stringify(page), (name, value) =>
        typeof value === "string" && ![...OURS, ...FIGURES].includes(name) ? HOSTILE : value,
      );
      for (const language of ["en", "zh"] as const) {
        const text = render({ ...hostile, name: page.name }, { language });
        expect(text, page.name).not.to.match(/<img|\u202e/);
        expect(text.match(/<\/title>/g), page.name).to.have.length(1);
        // What is in an element of JSON ends it no more than elsewhere.
        for (const [, json = ""] of text.matchAll(/<script type="application\/json">(.*?)<\/script>/g))
          expect(() => JSON.parse(json), page.name).not.to.throw();
        if (page.name !== "docs" && (page.name !== "refused" || language === "en"))
          expect(text, page.name).to.contain("&lt;img src=x onerror=x()>");
      }
    }
  });

  it("has price and grade where the service gives them without a key, and else no such column", () => {
    const shown = render(marketOf([rowOf([])], true));
    expect(shown).to.contain(">Price<").and.to.contain("$213.40");
    const without = render(marketOf([rowOf([])], false));
    expect(without).not.to.match(/>Price<|>Grade<|213\.4/);
  });

  it("draws a week with a place for every two hours that have a figure, higher figures higher", () => {
    const point = fc.record({
      ago: fc.integer({ min: -5, max: 200 }),
      value: fc.option(fc.integer({ min: -5_000, max: 5_000 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(point, { selector: ({ ago }) => ago, maxLength: 200 }), (points) => {
        const week = points
          .map(({ ago, value }) => [NOW - ago * HOUR, value] as const)
          .sort(([one], [other]) => one - other);
        const places = new Map<number, number>();
        for (const [hour, value] of week) {
          const place = Math.floor(hour / HOUR) - (Math.floor(NOW / HOUR) + 1 - 168);
          if (value !== null && place >= 0 && place < 168) places.set(Math.floor(place / 2) * 2 + 1, value);
        }
        const line = drawn(render(marketOf([rowOf(week)])));
        if (places.size < 2) {
          expect(line.size).to.equal(0);
          return;
        }
        expect([...line.keys()]).to.have.members([...places.keys()]);
        const byValue = [...places].sort(([, one], [, other]) => one - other);
        for (const [index, [x]] of byValue.entries()) {
          expect(line.get(x)).to.be.within(0, 36);
          if (index > 0) expect(line.get(x)).to.be.at.most(line.get(byValue[index - 1]![0])!);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("writes basis points with a sign and thousands, and without a sign where they round to zero", () => {
    const figures = [12.345, -0.04, 0.04, -1234.56, 999_999.95, null];
    expect(figures.map(bps).join(" ")).to.equal("+12.3 0.0 0.0 −1,234.6 +999,999.9 –");
  });
});

/** The y of each place of the page's first line, by its x. */
function drawn(page: string): Map<number, number> {
  const line = /class="spark".*?<path d="(M[^"H]*)"/.exec(page)?.[1] ?? "";
  const places = new Map<number, number>();
  let [x, y] = [0, 0];
  for (const [, start, atY, step, rise] of line.matchAll(/M(\d+) (\d+)h\.1|l(\d+) (-?\d+)/g)) {
    x = start === undefined ? x + Number(step) : Number(start);
    y = start === undefined ? y + Number(rise) : Number(atY);
    places.set(x, y);
  }
  return places;
}
