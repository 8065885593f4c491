/** Whether a market's file says what is on the chain: its tokens, routers, feeds and sources. */
import { Contract, type Provider, ZeroAddress } from "ethers";
import type { TokenFacts } from "../../attestor/evidence/facts.ts";
import { poolAddress } from "../../attestor/pools/create2.ts";
import { tokenRows } from "../../attestor/proofs/rows.ts";
import { type Asset, ROUTE_SELECTORS, type Route } from "../../attestor/registry.ts";
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
import { orNull, upstream } from "../../chain/rpc.ts";

/** One thing that was looked at in a market's file. */
export interface Line {
  /** `fault`: the file must not be used; `note`: it can be, and this is what it cannot do. */
  readonly outcome: "ok" | "fault" | "note";
  readonly text: string;
}

const ok = (text: string): Line => ({ outcome: "ok", text });
const fault = (text: string): Line => ({ outcome: "fault", text });
const note = (text: string): Line => ({ outcome: "note", text });

/** A line that is a fault where anything is missing. */
function judgedLine(what: string, faults: readonly string[], fine: string): Line {
  return faults.length === 0 ? ok(`${what}: ${fine}`) : fault(`${what}: ${faults.join("; ")}`);
}

const ABI = [
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
  "function factory() view returns (address)",
  "function feeAmountTickSpacing(uint24 fee) view returns (int24)",
  "function getPair(address a, address b) view returns (address)",
  "function getPool(address a, address b, uint24 fee) view returns (address)",
];

/** A view's answer; null where the contract reverts, has no such function or is not there. */
async function ask(provider: Provider, address: string, name: string, ...args: unknown[]): Promise<unknown> {
  const contract = new Contract(address, ABI, provider);
  return upstream(name, () => orNull(() => contract.getFunction(name).staticCall(...args)));
}

const codeAt = (provider: Provider, address: string): Promise<string> =>
  upstream("code", () => provider.getCode(address));

/** Code, decimals and symbol of a token. @throws UpstreamUnavailable */
export async function assetLine(provider: Provider, asset: Asset): Promise<Line> {
  const { address, symbol, decimals } = asset;
  const what = `${symbol} ${address}`;
  if ((await codeAt(provider, address)) === "0x") return judgedLine(what, ["no contract is there"], "");
  const [seenDecimals, seenSymbol] = await Promise.all([
    ask(provider, address, "decimals"),
    ask(provider, address, "symbol"),
  ]);
  const faults = [
    ...(seenDecimals === BigInt(decimals) ? [] : [`has ${seenDecimals ?? "no"} decimals, not ${decimals}`]),
    ...(seenSymbol === symbol
      ? []
      : [`calls itself ${seenSymbol === null ? "nothing" : String(seenSymbol).slice(0, 24)}`]),
  ];
  return judgedLine(what, faults, `${decimals} decimals`);
}

/**
 * Router, factory and quoter of a route, that they belong together, and that its pools stand where the file says.
 * @throws UpstreamUnavailable
 */
export async function routeLine(
  provider: Provider,
  route: Route,
  assets: readonly Pick<Asset, "address" | "kind" | "symbol">[],
): Promise<Line> {
  const { name, address, factory } = route;
  const faults: string[] = [];
  const code = await codeAt(provider, address);
  if (code === "0x") faults.push("no router is there");
  else {
    // A call to a function that is not there would revert, and only after the user paid for it.
    if (!code.includes(ROUTE_SELECTORS[route.kind].slice(2)))
      faults.push(`the router has no function ${ROUTE_SELECTORS[route.kind]} (${route.kind})`);
    if ((await ask(provider, address, "factory")) !== factory) faults.push("the router has another factory");
  }
  if ((await codeAt(provider, factory)) === "0x") faults.push("no factory is there");
  else if (route.kind !== "uniswap-v2") faults.push(...(await v3Faults(provider, route)));
  faults.push(...(await poolFaults(provider, route, assets)));
  return judgedLine(`route ${name} ${address}`, faults, `${route.kind}, selector ${route.selector}`);
}

/** Whether each pool that the factory knows has the address that follows from the file. */
async function poolFaults(
  provider: Provider,
  route: Route,
  assets: readonly Pick<Asset, "address" | "kind" | "symbol">[],
): Promise<string[]> {
  if (route.pools === undefined) return [];
  const faults: string[] = [];
  const tiers = route.kind === "uniswap-v2" ? [null] : route.feeTiers;
  for (const stock of assets.filter(({ kind }) => kind === "stock"))
    for (const dollar of assets.filter(({ kind }) => kind === "settlement"))
      for (const fee of tiers) {
        const pair = [stock.address, dollar.address];
        const found =
          fee === null
            ? await ask(provider, route.factory, "getPair", ...pair)
            : await ask(provider, route.factory, "getPool", ...pair, fee);
        const follows = poolAddress(route, stock.address, dollar.address, fee);
        if (found !== null && found !== ZeroAddress && found !== follows)
          faults.push(
            `the pool of ${stock.symbol} and ${dollar.symbol} is ${found}, and by pools it is ${follows}`,
          );
      }
  return faults;
}

async function v3Faults(
  provider: Provider,
  { factory, quoter, feeTiers }: Exclude<Route, { kind: "uniswap-v2" }>,
): Promise<string[]> {
  const faults: string[] = [];
  if ((await ask(provider, quoter, "factory")) !== factory)
    faults.push("the quoter has another factory, or is not there");
  for (const fee of feeTiers) {
    const spacing = await ask(provider, factory, "feeAmountTickSpacing", fee);
    if (spacing === null || spacing === 0n) faults.push(`the factory has no fee tier ${fee}`);
  }
  return faults;
}

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
