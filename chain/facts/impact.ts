/** What a buy of a size costs now: the liquidity samples' measurement. */
import { impactBps } from "../../attestor/evidence/figures.ts";
import { findAsset, type Registry } from "../../attestor/registry.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { BlockReader } from "../blockReads.ts";
import { bestQuote } from "../dex/best.ts";
import type { BlockMemo } from "./blockMemo.ts";

export interface BlockSource {
  readonly reader: BlockReader;
  readonly memo: BlockMemo;
}

/**
 * @param settlementTokens whole tokens of the registry's first settlement token. No price of it is looked up: where it is
 *   not worth one US dollar, a size "of 1,000 USD" is one of 1,000 of these tokens.
 * @returns basis points; null when no route trades that much
 * @throws UpstreamUnavailable
 */
export async function measureImpact(
  { reader, memo }: BlockSource,
  registry: Registry,
  assetKey: string,
  settlementTokens: number,
): Promise<string | null> {
  const stock = findAsset(registry, assetKey);
  const settlement = registry.assets.find(({ kind }) => kind === "settlement");
  if (!stock || !settlement) throw new Error(`the registry cannot trade ${assetKey}`);
  const block = await reader.head();
  // Liquidity is a matter of the pools, not of the guard's list.
  const routes = registry.routes.map((route) => ({ route, allowed: true }));
  const chosen = await bestQuote(routes, {
    reads: reader.at(block),
    atBlock: (key, read) => memo(block.blockHash, key, read),
    input: settlement.address,
    output: addressOf(assetKey),
    amountIn: BigInt(settlementTokens) * 10n ** BigInt(settlement.decimals),
    side: "buy",
    settlementDecimals: settlement.decimals,
  });
  return chosen === null ? null : impactBps(chosen.quote);
}
