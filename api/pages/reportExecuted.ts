/** What came of a published report's trade on the chain, by this service's word. */
import { chainOf, explorerOf } from "../../attestor/chains.ts";
import { shortAmount, valueText } from "../../attestor/view/findingWords.ts";
import heads from "../../attestor/view/headings.json" with { type: "json" };
import type { JudgedView } from "../../attestor/view/reportView.ts";
import type { MarketAsset } from "../../market/queries.ts";
import { findByAddress } from "../data/listing.ts";
import type { ExecutedTrade } from "../published/publicTrades.ts";
import { count, moment } from "./format.ts";
import { type Html, html, rows, type Value } from "./html.ts";
import { filled, pathFor, type Reader } from "./language.ts";
import { chainName } from "./names.ts";
import words from "./words/report.json" with { type: "json" };

/** @param executed null: the service knows of no transaction */
export function executedPart(
  judged: JudgedView,
  executed: ExecutedTrade | null,
  { reader, assets }: { readonly reader: Reader; readonly assets: readonly MarketAsset[] },
): Html {
  const told =
    executed === null
      ? html`<p>${words.noTransaction}</p>`
      : html`<p class="soft">${words.executedHint}</p>${rows(executionRows(judged, executed))}`;
  const [token] = findByAddress(assets, judged.trade.stockAddress);
  const link =
    token === undefined
      ? ""
      : html`<p><a href="${pathFor(reader, `/tokens/${token.chain}/${token.address}`)}">${filled(words.tokenPage, { symbol: token.symbol })}</a></p>`;
  return html`<section class="part" id="executed"><h2>${heads.executed}</h2>${told}${link}</section>`;
}

function executionRows(
  { tokens: { input, output }, block: { chainId } }: JudgedView,
  executed: ExecutedTrade,
): (readonly [string, Value])[] {
  const amount = (raw: string, token: typeof input) => {
    const [short, exact] = [shortAmount(raw, token), valueText(raw, "raw", token)];
    return short === exact
      ? short
      : html`${short} <small>${filled(words.exactly, { amount: exact })}</small>`;
  };
  const chain = chainOf(chainId);
  const place = {
    block: count(executed.blockNumber, "en"),
    chain: chain === undefined ? `${heads.chain} ${chainId}` : chainName(chain, "en"),
  };
  const { transactionHash, blockHash } = executed;
  const explorer = explorerOf(chainId);
  const link =
    explorer === null
      ? ""
      : html` <a href="${explorer}/tx/${transactionHash}" rel="noreferrer">${words.explorer}</a>`;
  return [
    [words.spent, amount(executed.amountInRaw, input)],
    [words.received, amount(executed.amountOutRaw, output)],
    [words.transaction, html`<code>${transactionHash}</code>${link}`],
    [words.block, html`${filled(words.inBlock, place)} <code>${blockHash}</code>`],
    [words.executedAt, moment(Date.parse(executed.at) / 1_000, "en")],
  ];
}
