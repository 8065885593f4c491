/** Whether the feeds and token sources of a market's file answer, and what the policies can do with them. */
import type { Provider } from "ethers";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { tokenClaims } from "../../attestor/proofs/claims.ts";
import type { Asset } from "../../attestor/registry.ts";
import {
  ChainTokenSource,
  type Deployment,
  isSigned,
  type ProviderFeed,
  ProviderTokenSource,
  sourceOf,
} from "../../chain/deployment.ts";
import { readReferences } from "../../chain/facts/references.ts";
import { readToken } from "../../chain/facts/token.ts";
import { upstream } from "../../chain/rpc.ts";
import { fault, judgedLine, type Line, note, ok } from "./line.ts";

export interface MarketReading {
  readonly provider: Provider;
  readonly deployment: Deployment;
  readonly block: { readonly number: number; readonly timestamp: number };
  /** Ids of all feeds that Pyth's catalogue has under a name; null where it does not answer. */
  feedIds(name: string): Promise<ReadonlySet<string> | null>;
}

/** The feeds of an asset, one line each. @throws UpstreamUnavailable */
export async function feedLines(reading: MarketReading, { assetKey, symbol }: Asset): Promise<Line[]> {
  const { provider, deployment, block } = reading;
  const lines: Line[] = [];
  for (const feed of deployment.references[assetKey] ?? []) {
    const at = { blockNumber: block.number, receivedAt: block.timestamp };
    const [price] = await readReferences(provider, [feed], deployment.source, at);
    const what = `${symbol}: ${feed.provider} ${feed.kind} ${feed.address}`;
    lines.push(
      price === undefined
        ? fault(`${what} has no price`)
        : ok(`${what}: ${price.price} USD, ${block.timestamp - price.publishedAt} s old`),
    );
  }
  for (const feed of deployment.offchain?.[assetKey] ?? [])
    lines.push(await providerLine(reading, symbol, feed));
  return lines;
}

async function providerLine({ feedIds }: MarketReading, symbol: string, feed: ProviderFeed): Promise<Line> {
  const what = `${symbol}: ${feed.provider} ${feed.kind} ${feed.symbol}`;
  // The others tell nothing without a key.
  if (feed.provider !== "pyth-hermes") return note(`${what}: not asked, it needs its key`);
  const known = await feedIds(feed.symbol);
  if (known === null) return fault(`${what}: Pyth's catalogue does not answer`);
  return known.has(feed.feedId)
    ? ok(`${what}: ${feed.feedId}`)
    : fault(`${what}: Pyth's catalogue has no feed ${feed.feedId} under that name`);
}

/** Whether a stock's units, announced changes and halts can be known. @throws UpstreamUnavailable */
export async function tokenLines(reading: MarketReading, stock: Asset): Promise<Line[]> {
  const { provider, deployment, block } = reading;
  const { assetKey, address, symbol, tokenKind } = stock;
  const sources = deployment.tokens?.[assetKey] ?? [];
  const onChain = sources.flatMap((source) => ChainTokenSource.safeParse(source).data ?? []);
  const providers = sources.flatMap((source) => ProviderTokenSource.safeParse(source).data ?? []);
  const said = await readToken(
    {
      provider,
      source: deployment.source,
      token: address,
      chain: { blockNumber: block.number, blockTimestamp: block.timestamp },
      receivedAt: block.timestamp,
    },
    onChain,
  );
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

/** Reads the slots of a layout back, as the service does at each block. */
async function layoutFaults(
  { provider, block }: MarketReading,
  { multiplierLayout: layout, address }: Asset,
  said: TokenFacts,
): Promise<string[]> {
  if (layout === undefined) return [];
  const claims = tokenClaims({ ...said, layout }, { blockTimestamp: block.timestamp });
  if (claims.length === 0) return ["has a multiplierLayout, and says nothing that it could prove"];
  const words = claims.map(({ key }) =>
    upstream("storage", () => provider.getStorage(address, key, block.number)),
  );
  const read = await Promise.all(words);
  return claims.flatMap(({ what, holds }, index) =>
    holds(BigInt(read[index] ?? 0)) ? [] : [`multiplierLayout: the slot holds something else than ${what}`],
  );
}

/** What the policies ask for and the file does not name. */
export function gapLines({ registry, references, offchain }: Deployment): Line[] {
  return registry.assets.flatMap(({ assetKey, kind, symbol }) => {
    const feeds = [...(references[assetKey] ?? []), ...(offchain?.[assetKey] ?? [])];
    const live = new Set(
      feeds.filter((feed) => feed.kind === "live").map(({ provider }) => sourceOf(provider)),
    );
    const lines: Line[] = [];
    if (live.size === 0) lines.push(fault(`${symbol}: no live price is named`));
    else if (live.size === 1)
      lines.push(note(`${symbol}: one live source; STRICT_LIVE needs two and always denies`));
    if (kind === "stock" && !offchain?.[assetKey]?.some(isSigned))
      lines.push(note(`${symbol}: no publisher of signed prices is named; STRICT_LIVE always denies`));
    if (kind === "stock" && !feeds.some((feed) => feed.kind === "close"))
      lines.push(note(`${symbol}: no last close is named; LAST_CLOSE always denies`));
    return lines;
  });
}
