/** Where the figures come from, and how each source is doing. */
import type { MarketStatus } from "../../market/status.ts";
import { ago } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { pathFor, type Reader, translated } from "./language.ts";

const WORDS = translated(
  {
    title: "Sources",
    more: "Status and its history",
    answered: (ago: string) => `answered ${ago} ago`,
    never: "no useful answer in 24 hours",
    newest: (count: number, ago: string) => `${count} series, the newest ${ago} old`,
    simulated: "The market is simulated: prices, quotes and volumes are those of the local chain.",
    none: "Nothing has been collected yet.",
    away: "The state of the sources is unknown at the moment: the database does not answer.",
    works: "works",
    fails: "fails",
  },
  {
    title: "数据来源",
    more: "状态与历史",
    answered: (ago: string) => `${ago}前有响应`,
    never: "24 小时内没有可用响应",
    newest: (count: number, ago: string) => `${count} 个序列，最新 ${ago}前`,
    simulated: "市场为模拟：价格、报价与成交量均来自本地链。",
    none: "尚未采集任何数据。",
    away: "数据库没有响应，暂时无法得知各来源的状态。",
    works: "正常",
    fails: "异常",
  },
);

/** A source whose last answer is older has something wrong with it. */
const FRESH_SECONDS = 3_600;

/** @param status null: the database did not tell */
export function sourceList(status: MarketStatus | null, simulated: boolean, reader: Reader): Html {
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
        lastSuccessAgo === null ? words.never : words.answered(ago(lastSuccessAgo, language)),
        words,
      ),
    );
  return status.series.map(({ kind, count, newestAgo }) =>
    item(kind, newestAgo <= FRESH_SECONDS, words.newest(count, ago(newestAgo, language)), words),
  );
}

function item(name: string, works: boolean, detail: string, words: { works: string; fails: string }): Html {
  return html`<li><span class="dot ${works ? "good" : "bad"}"></span><span class="hidden">${works ? words.works : words.fails}</span> <b>${name}</b> <span class="soft">${detail}</span></li>`;
}
