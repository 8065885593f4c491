/** Whether the feeds and token sources of a market's file answer, and what the policies can do with them. */
import type { Provider } from "ethers";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { tokenRows } from "../../attestor/proofs/rows.ts";
import type { Asset } from "../../attestor/registry.ts";
import {
  isChainPrice,
  isChainToken,
  isSigned,
  type ProviderPriceSource,
  providerOf,
} from "../../attestor/sources.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { readPrices } from "../../chain/facts/references.ts";
import { mergedFacts, readToken } from "../../chain/facts/token.ts";
import { upstream } from "../../chain/rpc.ts";
import { fault, judgedLine, type Line, note, ok } from "./contracts.ts";

export interface MarketReading {
  readonly provider: Provider;
  readonly deployment: Deployment;
  readonly block: { readonly number: number; readonly timestamp: number };
  /** Ids of all feeds that Pyth's catalog has under a name; null where it does not answer. */
  feedIds(name: string): Promise<ReadonlySet<string> | null>;
}

/** The feeds of an asset, one line each. @throws UpstreamUnavailable */
export async function feedLines(reading: MarketReading, { priceSources, symbol }: Asset): Promise<Line[]> {
  const { provider, deployment, block } = reading;
  const lines: Line[] = [];
  for (const feed of priceSources.filter(isChainPrice)) {
    const at = { blockNumber: block.number, receivedAt: block.timestamp };
    const [price] = (await readPrices(provider, [feed], deployment.source, at)).readings;
    const what = `${symbol}: ${feed.provider} ${feed.kind} ${feed.address}`;
    lines.push(
      price === undefined
        ? fault(`${what} has no price, or other decimals than are listed`)
        : ok(`${what}: ${price.price} USD, ${block.timestamp - price.publishedAt} s old`),
    );
  }
  for (const feed of priceSources.filter((source) => !isChainPrice(source)))
    lines.push(await providerLine(reading, symbol, feed));
  return lines;
}

async function providerLine(
  { feedIds }: MarketReading,
  symbol: string,
  feed: ProviderPriceSource,
): Promise<Line> {
  const what = `${symbol}: ${feed.provider} ${feed.kind} ${feed.symbol}`;
  // The others tell nothing without a key.
  if (feed.provider !== "pyth-hermes") return note(`${what}: not asked, it needs its key`);
  const known = await feedIds(feed.symbol);
  if (known === null) return fault(`${what}: Pyth's catalog does not answer`);
  return known.has(feed.feedId)
    ? ok(`${what}: ${feed.feedId}`)
    : fault(`${what}: Pyth's catalog has no feed ${feed.feedId} under that name`);
}

/** Whether a stock's units, announced changes and halts can be known. @throws UpstreamUnavailable */
export async function tokenLines(reading: MarketReading, stock: Asset): Promise<Line[]> {
  const { provider, deployment, block } = reading;
  const { address, symbol, tokenKind, tokenSources } = stock;
  const providers = tokenSources.filter((source) => !isChainToken(source));
  const at = {
    provider,
    source: deployment.source,
    token: address,
    chain: { blockNumber: block.number, blockTimestamp: block.timestamp },
    receivedAt: block.timestamp,
  };
  const said = mergedFacts(await readToken(at, tokenSources.filter(isChainToken)));
  const asked = providers.length > 0;
  const faults = [
    ...(tokenKind === undefined ? ["has no tokenKind: every policy denies"] : []),
    ...(said.factor === null && tokenKind !== "rebasing" && !asked ? ["no source states its factor"] : []),
    ...(said.halts.length === 0 && !asked ? ["no source states whether trading is halted"] : []),
    ...(await layoutFaults(reading, stock, said)),
  ];
  const factor =
    said.factor === null
      ? "factor not on the chain"
      : `factor ${said.factor.value} by ${said.factor.provider}`;
  const lines = [judgedLine(`${symbol}: ${tokenKind ?? "token"}`, faults, factor)];
  if (said.announcement === null && !providers.some(({ source }) => source === "xstocks"))
    lines.push(note(`${symbol}: no source announces changes of its shares; only LAST_CLOSE can allow it`));
  return lines;
}

/** What the slots of a layout hold. */
const WORDS: Readonly<Record<string, string>> = {
  "token.changeTime": "time of the announced change",
  "token.factor": "shares factor",
  "token.announcedFactor": "announced factor",
};

/** Reads the slots of a layout back, as the service does at each block. */
async function layoutFaults(
  { provider, block }: MarketReading,
  { multiplierLayout: layout, address }: Asset,
  said: TokenFacts,
): Promise<string[]> {
  if (layout === undefined) return [];
  const rows = tokenRows({ ...said, layout }, { blockTimestamp: block.timestamp });
  if (rows.length === 0) return ["has a multiplierLayout, and says nothing that it could prove"];
  const words = rows.map(({ slot }) =>
    upstream("storage", () => provider.getStorage(address, slot, block.number)),
  );
  const read = await Promise.all(words);
  return rows.flatMap(({ what, holds }, index) =>
    holds(BigInt(read[index] ?? 0))
      ? []
      : [`multiplierLayout: the slot holds something else than the ${WORDS[what] ?? what}`],
  );
}

/** What the policies ask for and the file does not name. */
export function gapLines({ registry }: Deployment): Line[] {
  return registry.assets.flatMap(({ priceSources, kind, symbol }) => {
    const live = new Set(priceSources.filter((source) => source.kind === "live").map(providerOf));
    const lines: Line[] = [];
    if (live.size === 0) lines.push(fault(`${symbol}: no live price is named`));
    else if (live.size === 1)
      lines.push(note(`${symbol}: one live source; STRICT_LIVE needs two and always denies`));
    if (kind === "stock" && !priceSources.some(isSigned))
      lines.push(note(`${symbol}: no publisher of signed prices is named; STRICT_LIVE always denies`));
    if (kind === "stock" && !priceSources.some((source) => source.kind === "close"))
      lines.push(note(`${symbol}: no last close is named; LAST_CLOSE always denies`));
    return lines;
  });
}
