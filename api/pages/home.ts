/** The first page: what this is, and the market at a glance. */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { MarketStatus } from "../../market/status.ts";
import { ago, count, dollars, moment } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, pathFor, type Reader } from "./language.ts";
import { type Choice, choiceOf, choicePath } from "./marketChoice.ts";
import { marketFilters } from "./marketFilters.ts";
import { type MarketReading, pageIn, type ReadingDeps, readMarket, TOTAL_DAYS } from "./marketReading.ts";
import { marketTable } from "./marketTable.ts";
import { marketTotals } from "./marketTotals.ts";
import type { Page } from "./page.ts";
import { type SessionView, sessionView } from "./session.ts";
import HOME_WORDS from "./words/home.json" with { type: "json" };
import WORDS from "./words/sources.json" with { type: "json" };

/** Tokens on a page: what stays small with their lines. */
const TOKENS_A_PAGE = 40;

export interface HomeDeps extends ReadingDeps {
  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  readonly simulated: boolean;
  now(): UnixMs;
}

export function homePage(deps: HomeDeps): Page<unknown, Choice> {
  const { assets, simulated } = deps;
  return {
    path: "/",
    name: "home",
    browsersAlone: true,
    query: (query) => choiceOf(query, assets),
    key: ({ query }) => choicePath(query),
    async content({ query, reader }) {
      const now = Math.floor(deps.now() / 1_000);
      const reading = await readMarket(deps, assets, query, TOKENS_A_PAGE);
      const choice = { ...query, page: pageIn(query.page, reading.matching, TOKENS_A_PAGE) };
      const isFirst = choicePath(choice) === "/";
      const words = HOME_WORDS[reader.language];
      const session = sessionView(now, simulated, reader.language);
      return {
        title: words.title,
        description: words.lead,
        degraded: reading.degraded,
        source: `/api/market-overview?days=${TOTAL_DAYS}`,
        main: join([
          isFirst ? hero(reader) : html`<h1>${words.market}</h1>`,
          figures(reading, session, reader),
          marketTotals(reading.overview, now, reader.language),
          html`<section aria-labelledby="market">
<div class="head"><h2 id="market">${isFirst ? words.market : words.tokens}</h2><p class="soft">${words.asOf} ${moment(now, reader.language)}</p></div>
${marketFilters(assets, choice, reader)}
${marketTable(reading, choice, now, reader)}
${pager(choice, Math.ceil(reading.matching / TOKENS_A_PAGE), reader)}
</section>`,
          sourceList(reading.status, simulated, reader),
          isFirst ? steps(reader) : html``,
        ]),
      };
    },
  };
}

function hero(reader: Reader): Html {
  const words = HOME_WORDS[reader.language];
  return html`<section class="hero">
<h1>${words.headline}</h1>
<p class="lead">${words.lead}</p>
<p class="soft">${words.checkBefore} <a href="${pathFor(reader, "/verify")}">${words.check}</a>${words.checkAfter}</p>
</section>`;
}

function figures({ overview, tokens }: MarketReading, session: SessionView, { language }: Reader): Html {
  const words = HOME_WORDS[language];
  const live = overview.live;
  const items: readonly (readonly [string, Html | string, Html | string])[] = [
    [words.session, session.name, session.detail],
    [words.volume, dollars(live?.vol24Usd, language), words.volumeOf],
    [words.liquidity, dollars(live?.liquidityUsd, language), words.liquidityOf],
    [
      words.tokens,
      count(live?.assetCount ?? tokens.length, language),
      live
        ? filled(words.tokensWithData, { number: count(live.tokensWithDexData, language) })
        : words.noDatabase,
    ],
  ];
  return html`<dl class="figures">${join(
    items.map(
      ([name, figure, of]) => html`<div><dt>${name}</dt><dd>${figure}<small>${of}</small></dd></div>`,
    ),
  )}</dl>`;
}

function pager(choice: Choice, pages: number, reader: Reader): Html | null {
  const { page } = choice;
  if (pages <= 1) return null;
  const words = HOME_WORDS[reader.language];
  const to = (number: number) => pathFor(reader, choicePath({ ...choice, page: number }));
  return html`<nav class="pager" aria-label="${words.pager}">
${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">${words.before}</a>` : html`<span></span>`}
<span class="soft number">${filled(words.pageOf, { page, pages })}</span>
${page < pages ? html`<a rel="next" href="${to(page + 1)}">${words.next}</a>` : html`<span></span>`}
</nav>`;
}

function steps({ language }: Reader): Html {
  const words = HOME_WORDS[language];
  return html`<section aria-labelledby="how"><h2 id="how">${words.how}</h2><ol class="steps">${join(
    [words.step1, words.step2, words.step3].map(
      ({ name, text }) => html`<li><h3>${name}</h3><p>${text}</p></li>`,
    ),
  )}</ol></section>`;
}

/** A source whose last answer is older has something wrong with it. */
const FRESH_SECONDS = 3_600;

/** @param status null: the database did not tell */
function sourceList(status: MarketStatus | null, simulated: boolean, reader: Reader): Html {
  const words = WORDS[reader.language];
  const items = status === null ? [] : itemsOf(status, reader);
  return html`<section aria-labelledby="sources">
<div class="head"><h2 id="sources">${words.title}</h2><p><a href="${pathFor(reader, "/status")}">${words.more}</a></p></div>
${simulated ? html`<p class="soft">${words.simulated}</p>` : ""}
${status === null ? html`<p>${words.away}</p>` : items.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="sources">${join(items)}</ul>`}
</section>`;
}

/** Providers where there are some; the series that the local world writes where there are none. */
function itemsOf(status: MarketStatus, { language }: Reader): Html[] {
  const words = WORDS[language];
  if (status.providers.length > 0)
    return status.providers.map(({ provider, lastSuccessAgo }) =>
      item(
        provider,
        lastSuccessAgo !== null && lastSuccessAgo <= FRESH_SECONDS,
        lastSuccessAgo === null
          ? words.never
          : filled(words.answered, { ago: ago(lastSuccessAgo, language) }),
        words,
      ),
    );
  return status.series.map(({ kind, count, newestAgo }) =>
    item(
      kind,
      newestAgo <= FRESH_SECONDS,
      filled(words.newest, { count, ago: ago(newestAgo, language) }),
      words,
    ),
  );
}

function item(name: string, works: boolean, detail: string, words: { works: string; fails: string }): Html {
  return html`<li><span class="dot ${works ? "good" : "bad"}"></span><span class="hidden">${works ? words.works : words.fails}</span> <b>${name}</b> <span class="soft">${detail}</span></li>`;
}
