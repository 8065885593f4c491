/** /search: from what a reader has in hand to the page that it leads to. */

import { explorerOf } from "../../attestor/chains.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { shortAmount } from "../../attestor/view/findingWords.ts";
import { tokensOf } from "../../attestor/view/reportView.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { findByAddress } from "../data/listing.ts";
import { Problem } from "../http/problems.ts";
import { type PublicTrade, publicTradesOfOwner } from "../published/publicTrades.ts";
import { whatIs } from "../published/whatIs.ts";
import type { Config } from "../settings/config.ts";
import { count, moment } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, pathFor, type Reader } from "./language.ts";
import { nameOf } from "./marketTable.ts";
import type { Page, PageContent } from "./page.ts";
import type { ServiceWordDeps } from "./serviceWord.ts";
import SEARCH_WORDS from "./words/search.json" with { type: "json" };

export interface SearchDeps extends Pick<ServiceWordDeps, "deployment" | "logAnswers"> {
  readonly db: Database;
  readonly assets: readonly MarketAsset[];
  readonly publicEvidence: Config["publicEvidence"];
}

interface SearchQuery {
  readonly q: string;
}

const MOST_CHARACTERS = 200;
const MOST_LISTED = 50;
const MOST_TRADES = 20;
const HASH = /^0x[0-9a-f]{64}$/i;
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const JOB = /^job_[A-Za-z0-9_-]{22}$/;
/** API keys and job tokens, anywhere in the text. */
const SECRET = /\b(?:ak|jt|st)_[A-Za-z0-9_-]{20,}/;

/** Never kept: what people look for is theirs. */
export function searchPage(deps: SearchDeps): Page<unknown, SearchQuery> {
  return {
    path: "/search",
    name: "search",
    query: ({ q }) => ({ q: typeof q === "string" ? q.trim() : "" }),
    key: () => null,
    async content({ query: { q }, reader }) {
      const content = await answerTo(q, deps, reader);
      return content.withoutQuery ? content : { ...content, asked: q };
    },
  };
}

async function answerTo(q: string, deps: SearchDeps, reader: Reader): Promise<PageContent> {
  const words = SEARCH_WORDS[reader.language];
  if (q === "") return page(reader, html`<p class="soft">${words.lead}</p>`);
  // Neither looked up nor printed.
  if (SECRET.test(q))
    return { ...page(reader, html`<p role="alert">${words.secret}</p>`), withoutQuery: true };
  if (q.length > MOST_CHARACTERS) return page(reader, html`<p>${words.tooLong}</p>`);
  if (JOB.test(q)) return job(q, reader);
  if (HASH.test(q)) return ofHash(q.toLowerCase(), deps, reader);
  const isAddress = EVM_ADDRESS.test(q) || SOLANA_ADDRESS.test(q);
  const found = isAddress ? findByAddress(deps.assets, q) : byName(deps.assets, q);
  const [only] = found;
  if (only !== undefined && found.length === 1) return to(`/tokens/${only.chain}/${only.address}`);
  if (found.length > 0) return page(reader, tokens(found, reader));
  const account = Address.safeParse(q).data;
  const known = account === undefined ? null : await ofAccount(account, deps, reader);
  if (known !== null) return page(reader, known);
  return nothing(q, isAddress ? words.addressHelp : words.symbolHelp, reader);
}

async function ofHash(
  hash: string,
  { db, logAnswers, publicEvidence }: SearchDeps,
  reader: Reader,
): Promise<PageContent> {
  const words = SEARCH_WORDS[reader.language];
  const named = await whatIs(db, hash, publicEvidence !== "off");
  if (named === null) {
    const [entry] = await logAnswers.find(hash);
    if (entry !== undefined) return page(reader, logged(hash, entry, reader));
    return nothing(hash, words.hashHelp, reader);
  }
  if (named.kind !== "evidence") {
    const folder = { registry: "registry", policy: "policies", samples: "samples" }[named.kind];
    return to(`/${folder}/${hash}`);
  }
  const [only] = named.evidenceHashes;
  if (named.evidenceHashes.length === 1) return to(`/reports/${only}`);
  const links = named.evidenceHashes.map(
    (evidence) =>
      html`<li><a href="${pathFor(reader, `/reports/${evidence}`)}"><code>${evidence}</code></a></li>`,
  );
  return page(reader, html`<p>${words.evidence}</p><ul>${join(links)}</ul>`);
}

/** Evidence of which nothing but its entry in the log is public. */
function logged(hash: string, { origin, index }: { origin: string; index: number }, reader: Reader): Html {
  const words = SEARCH_WORDS[reader.language];
  const entry = filled(words.logEntry, { index: count(index + 1, reader.language), log: origin });
  return html`<p><code>${hash}</code></p><p>${words.logged}</p><p><a href="${pathFor(reader, `/log?before=${index + 1}`)}">${entry}</a></p><p class="soft">${words.hashHelp}</p>`;
}

/** A contract of this service, or a wallet with executed trades. @param account EIP-55 @returns null for any other */
async function ofAccount(
  account: string,
  { db, deployment, publicEvidence }: SearchDeps,
  reader: Reader,
): Promise<Html | null> {
  const words = SEARCH_WORDS[reader.language];
  const { guard, executor, registry } = deployment;
  const contracts: readonly (readonly [string | undefined, string])[] = [
    [guard, words.isGuard],
    [executor, words.isExecutor],
  ];
  const contract = contracts.find(([address]) => address === account)?.[1];
  const explorer = explorerOf(registry.chainId);
  const link =
    explorer === null
      ? ""
      : html` <a href="${explorer}/address/${account}" rel="noreferrer">${words.explorer}</a>`;
  const place = html`<p><code>${account}</code>${link}</p>`;
  if (contract !== undefined)
    return html`${place}<p>${contract}</p><p><a href="${pathFor(reader, "/verify")}">${words.verify}</a></p>`;
  const trades = publicEvidence === "off" ? [] : await publicTradesOfOwner(db, account, MOST_TRADES);
  if (trades.length === 0) return null;
  return html`${place}<p>${words.trades}</p><ul class="found">${join(trades.map((trade) => tradeLine(trade, reader)))}</ul>`;
}

function tradeLine({ report: { evidence, evidenceHash }, executed }: PublicTrade, reader: Reader): Html {
  const words = SEARCH_WORDS[reader.language];
  const { language } = reader;
  const { input, output } = tokensOf(evidence.trade);
  const amounts =
    executed === null
      ? `${input.symbol} → ${output.symbol}`
      : filled(words.traded, {
          spent: shortAmount(executed.amountInRaw, input),
          received: shortAmount(executed.amountOutRaw, output),
        });
  const at = executed === null ? evidence.capturedAt : Date.parse(executed.at) / 1_000;
  return html`<li><a href="${pathFor(reader, `/reports/${evidenceHash}`)}">${amounts}</a><small>${moment(at, language)}${executed === null ? "" : html`<br><code>${executed.transactionHash}</code>`}</small></li>\n`;
}

/** Symbols as minted and tickers first; only where there are none, names that contain it. */
function byName(assets: readonly MarketAsset[], q: string): MarketAsset[] {
  const wanted = q.toLowerCase();
  const exact = assets.filter(
    ({ symbol, underlying }) => symbol.toLowerCase() === wanted || underlying.toLowerCase() === wanted,
  );
  if (exact.length > 0) return exact;
  return assets.filter(({ symbol, nameEn, nameCn }) =>
    [symbol, nameEn, nameCn].some((text) => text.toLowerCase().includes(wanted)),
  );
}

function tokens(found: readonly MarketAsset[], reader: Reader): Html {
  const words = SEARCH_WORDS[reader.language];
  const rest = found.length - MOST_LISTED;
  return html`<p class="soft">${filled(words.several, { count: found.length })}</p><ul class="found">${join(
    found
      .slice(0, MOST_LISTED)
      .map(
        (asset) =>
          html`<li><a href="${pathFor(reader, `/tokens/${asset.chain}/${asset.address}`)}">${asset.symbol}</a> ${nameOf(asset, reader.language)}<small>${asset.issuer} · ${asset.chain} · <code>${asset.address}</code></small></li>`,
      ),
  )}</ul>${rest > 0 ? html`<p class="soft">${filled(words.more, { count: count(rest, reader.language) })}</p>` : ""}`;
}

function job(jobId: string, reader: Reader): PageContent {
  const words = SEARCH_WORDS[reader.language];
  return {
    ...page(
      reader,
      html`<h2>${words.jobTitle} <code>${jobId}</code></h2><p>${words.job}</p>
<div data-island="job" data-props="${JSON.stringify({ jobId })}"></div>
<noscript><p>${words.jobScript}</p></noscript>`,
    ),
    islands: ["job"],
  };
}

function nothing(q: string, help: string, reader: Reader): PageContent {
  const words = SEARCH_WORDS[reader.language];
  return {
    ...page(reader, html`<p><code>${q}</code></p><p>${words.nothing}</p><p class="soft">${help}</p>`),
    status: new Problem("not_found", words.nothing).status,
  };
}

function page({ language }: Reader, body: Html): PageContent {
  const words = SEARCH_WORDS[language];
  return { title: words.title, main: html`<section class="sheet"><h1>${words.title}</h1>${body}</section>` };
}

const to = (redirect: string): PageContent => ({ title: "", main: html``, redirect });
