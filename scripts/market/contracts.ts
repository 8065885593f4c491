/** Whether the tokens and routers of a market's file are on the chain what the file says. */
import { Contract, type Provider, ZeroAddress } from "ethers";
import { poolAddress } from "../../attestor/pools/create2.ts";
import { type Asset, ROUTE_SELECTORS, type Route } from "../../attestor/registry.ts";
import { orNull, upstream } from "../../chain/rpc.ts";

/** One thing that was looked at in a market's file. */
export interface Line {
  /** `fault`: the file must not be used; `note`: it can be, and this is what it cannot do. */
  readonly outcome: "ok" | "fault" | "note";
  readonly text: string;
}

export const ok = (text: string): Line => ({ outcome: "ok", text });
export const fault = (text: string): Line => ({ outcome: "fault", text });
export const note = (text: string): Line => ({ outcome: "note", text });

/** A line that is a fault where anything is missing. */
export function judgedLine(what: string, faults: readonly string[], fine: string): Line {
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
