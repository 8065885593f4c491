/** Symbols and decimals of the payment tokens, to show amounts in whole units. */
import { Contract } from "ethers";
import type { Registry } from "../../attestor/registry.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import type { Nodes } from "./nodes.ts";

export interface Token {
  readonly symbol: string;
  readonly decimals: number;
}

export type Tokens = ReturnType<typeof createTokens>;

const ABI = ["function symbol() view returns (string)", "function decimals() view returns (uint8)"];

/** The registry is believed first; a token that it does not list is asked itself, once. */
export function createTokens(registry: Registry | null, nodes: Nodes) {
  const asked = new Map<string, Promise<Token | null>>();

  async function look(network: string, asset: string): Promise<Token | null> {
    const listed = registry?.assets.find(({ assetKey }) => assetKey === `${network}:${asset}`);
    if (listed !== undefined) return { symbol: listed.symbol, decimals: listed.decimals };
    const node = nodes.of(network);
    if (node === null) return null;
    const token = new Contract(asset, ABI, node);
    const views = ["symbol", "decimals"].map((name) => token.getFunction(name).staticCall());
    const [symbol, decimals] = await Promise.all(views).catch(() => []);
    if (decimals === undefined) return null;
    // The token's own words end in a terminal and in a spreadsheet.
    const words = String(symbol).replace(/[^\p{L}\p{N}._-]/gu, "");
    return { symbol: words.slice(0, 20), decimals: Number(decimals) };
  }

  return {
    /** @returns null where neither the registry nor a node knows the token */
    find(network: string, asset: string): Promise<Token | null> {
      const name = `${network} ${asset}`;
      const known = asked.get(name) ?? look(network, asset);
      asked.set(name, known);
      return known;
    },
  };
}

/** `0.01 USDL`, or the raw units and the contract where the token is not known. */
export function amountText(raw: string | bigint, asset: string, token: Token | null): string {
  return token === null
    ? `${raw} raw units of ${asset}`
    : `${wholeUnits(raw, token.decimals)} ${token.symbol}`;
}
