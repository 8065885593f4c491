/** What a buy of a size costs now: the liquidity samples' measurement. */
import type { JsonRpcProvider } from "ethers";
import { impactBps } from "../../attestor/figures.ts";
import { addressOf } from "../../attestor/primitives.ts";
import { findAsset, type Registry } from "../../attestor/registry.ts";
import { bestQuote } from "../dex/best.ts";
import { upstream } from "../rpc.ts";

/**
 * @param settlementTokens whole tokens of the registry's first settlement token, counted as US dollars
 * @returns basis points; null when no route trades that much
 * @throws UpstreamUnavailable
 */
export async function measureImpact(
  provider: JsonRpcProvider,
  registry: Registry,
  assetKey: string,
  settlementTokens: number,
): Promise<string | null> {
  const stock = findAsset(registry, assetKey);
  const settlement = registry.assets.find(({ kind }) => kind === "settlement");
  if (!stock || !settlement) throw new Error(`the registry cannot trade ${assetKey}`);
  const blockNumber = await upstream("block number", () => provider.getBlockNumber());
  // Liquidity is a matter of the pools, not of the guard's list.
  const routes = registry.routes.map((route) => ({ route, allowed: true }));
  const chosen = await bestQuote(routes, {
    provider,
    blockNumber,
    input: settlement.address,
    output: addressOf(assetKey),
    amountIn: BigInt(settlementTokens) * 10n ** BigInt(settlement.decimals),
    side: "buy",
    settlementDecimals: settlement.decimals,
  });
  return chosen === null ? null : impactBps(chosen.quote);
}
