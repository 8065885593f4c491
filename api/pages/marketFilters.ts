/** The market's filters as a form that works without script: issuer, chain and session, in the address. */
import type { MarketAsset } from "../../market/queries.ts";
import { type Html, html, join, raw } from "./html.ts";
import { pathFor, type Reader } from "./language.ts";
import { type Choice, chainsOf, choicePath, issuersOf, SESSIONS } from "./marketChoice.ts";
import { chainName, issuerName, sessionName } from "./names.ts";
import WORDS from "./words/market.json" with { type: "json" };

export function marketFilters(assets: readonly MarketAsset[], choice: Choice, reader: Reader): Html {
  const { language, explicit } = reader;
  const words = WORDS[language];
  const select = (
    name: "issuer" | "chain" | "session",
    values: readonly string[],
    nameOf: (value: string) => string,
  ) =>
    html`<label>${words[name]} <select name="${name}"><option value="">${words.all}</option>${join(
      values.map(
        (value) =>
          html`<option value="${value}"${choice[name] === value ? raw(" selected") : ""}>${nameOf(value)}</option>`,
      ),
    )}</select></label>\n`;
  const { issuer, chain, session, sort } = choice;
  const isNarrowed = issuer !== null || chain !== null || session !== null;
  const hidden = (name: string, value: string | null) =>
    value === null ? "" : html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="filters" action="/">
${select("issuer", issuersOf(assets), (value) => issuerName(value, language))}${select("chain", chainsOf(assets), (value) => chainName(value, language))}${select("session", SESSIONS, (value) => sessionName(value, language))}${hidden("sort", sort)}${hidden("order", sort === null ? null : choice.ascending ? "asc" : "desc")}${hidden("lang", explicit ? language : null)}<button>${words.apply}</button>
${isNarrowed ? html`<a href="${pathFor(reader, choicePath({ ...choice, issuer: null, chain: null, session: null, page: 1 }))}">${words.clear}</a>` : ""}
</form>`;
}
