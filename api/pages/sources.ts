/** Where the figures come from, and how each source is doing. */
import type { MarketStatus } from "../../market/status.ts";
import { ago } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, pathFor, type Reader } from "./language.ts";
import WORDS from "./words/sources.json" with { type: "json" };

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
