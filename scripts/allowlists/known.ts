/** What an address is called: by the registry, as a published deployment, or by the code that stands there. */
import type { Registry } from "../../attestor/registry.ts";
import { metadataOf, V2_ROUTER_CODE, V3_ROUTER_CODE } from "./published.ts";

/**
 * Routers on BNB chain (56), as docs.uniswap.org and developer.pancakeswap.finance list them.
 */
const DEPLOYMENTS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  56: {
    "0x10ED43C718714eb63d5aA57B78B54704E256024E": "PancakeSwap V2 router",
    "0x1b81D678ffb9C0263b24A97847620C99d213eB14": "PancakeSwap V3 router",
    "0x13f4EA83D0bd40E75C8222255bc855a974568Dd4": "PancakeSwap smart router",
    "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24": "Uniswap V2 router",
    "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2": "Uniswap SwapRouter02",
  },
};

const CODES = [V2_ROUTER_CODE, V3_ROUTER_CODE];

/**
 * @param code the contract's code; null where nobody asked for it
 * @returns where the name comes from stands in it; null when the address is not known
 */
export function nameOfContract(
  chainId: number,
  registry: Registry | null,
  address: string,
  code: string | null,
): string | null {
  const names: string[] = [];
  const route = registry?.routes.find((candidate) => candidate.address === address);
  if (route !== undefined) names.push(`${route.name} of the registry`);
  const deployment = DEPLOYMENTS[chainId]?.[address];
  if (deployment !== undefined) names.push(`the published ${deployment}`);
  if (code !== null)
    for (const published of CODES)
      if (metadataOf(code) !== null && published.metadata() === metadataOf(code))
        names.push(`code of ${published.source}`);
  return names.length === 0 ? null : names.join(", ");
}
