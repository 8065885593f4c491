/** How the market is collected: series, providers, what figures rest on, what was excluded, which token has no price. */
import type { MarketStatus } from "../../market/status.ts";
import { ago, count } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, type Language } from "./language.ts";
import { named } from "./names.ts";
import STATE_WORDS from "./words/states.json" with { type: "json" };
import STATUS_WORDS from "./words/status.json" with { type: "json" };

/** Of hundreds of tokens without a price, so many are named. */
const MOST_NAMED = 60;
const MOST_REASONS = 30;

export function marketDetails(status: MarketStatus, simulated: boolean, language: Language): Html {
  const words = STATUS_WORDS[language];
  return join([
    html`<section aria-labelledby="series"><h2 id="series">${words.seriesTitle}</h2>
<p class="soft">${simulated ? words.simulated : ""} ${status.round === null ? "" : filled(words.round, { ago: ago(status.round.endedAgo, language), took: ago(status.round.took, language) })}</p>
${table(
  [words.kind, words.series, words.newest, words.oldest],
  status.series.map(({ kind, count: series, newestAgo, oldestAgo }) => [
    kind,
    count(series, language),
    filled(words.ago, { ago: ago(newestAgo, language) }),
    filled(words.ago, { ago: ago(oldestAgo, language) }),
  ]),
)}</section>`,
    section(
      "providers",
      words.providers,
      [words.provider, words.lastAnswer, words.good, words.failures],
      status.providers.map(({ provider, lastSuccessAgo, successes, failures }) => [
        provider,
        lastSuccessAgo === null ? words.none : filled(words.ago, { ago: ago(lastSuccessAgo, language) }),
        count(successes, language),
        Object.entries(failures)
          .map(([kind, number]) => `${kind}: ${count(number, language)}`)
          .join(", ") || "0",
      ]),
    ),
    section(
      "figures",
      words.figuresTitle,
      [words.kind, words.state, words.figures, words.forAnHour],
      status.figures.map(({ kind, state, count: figures, forAnHour }) => [
        kind,
        named(STATE_WORDS[language], state),
        count(figures, language),
        count(forAnHour, language),
      ]),
    ),
    section(
      "aside",
      words.aside,
      [words.kind, words.reason, words.figures],
      status.setAside
        .slice(0, MOST_REASONS)
        .map(({ kind, reason, count: figures }) => [kind, reason, count(figures, language)]),
    ),
    unpriced(status.unpriced, language),
  ]);
}

function section(
  id: string,
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Html {
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${table(head, rows)}</section>`;
}

/** The first column names its row. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${head.join(", ")}"><table class="plain"><thead><tr>${join(
    head.map((name) => html`<th scope="col">${name}</th>`),
  )}</tr></thead><tbody>${join(
    rows.map(
      ([first = "", ...rest]) =>
        html`<tr><th scope="row">${first}</th>${join(rest.map((cell) => html`<td class="tabular">${cell}</td>`))}</tr>`,
    ),
  )}</tbody></table></div>`;
}

function unpriced(tokens: MarketStatus["unpriced"], language: Language): Html {
  const words = STATUS_WORDS[language];
  if (tokens.length === 0) return html``;
  const named = tokens.slice(0, MOST_NAMED).map(({ symbol, chain }) => `${symbol} (${chain})`);
  const rest = tokens.length - named.length;
  return html`<section aria-labelledby="unpriced"><h2 id="unpriced">${words.unpriced}</h2><p class="soft">${named.join(", ")}${rest > 0 ? ` ${filled(words.more, { count: count(rest, language) })}` : ""}</p></section>`;
}
