/** What a stock token says of itself: shares per token and whether its issuer halted trading. */
import { Contract, type Provider } from "ethers";
import type { TokenFacts } from "../../attestor/evidence.ts";
import { orNull, upstream } from "../rpc.ts";
import { decimal } from "./references.ts";

const ABI = [
  "function sharesPerToken() view returns (uint256)",
  "function tradingHalted() view returns (bool)",
];

/**
 * @returns null where the token does not say, which denies
 * @throws UpstreamUnavailable when the node does not answer
 */
export async function readToken(
  provider: Provider,
  token: string,
  source: string,
  blockNumber: number,
): Promise<TokenFacts | null> {
  const contract = new Contract(token, ABI, provider);
  const ask = <T>(name: string): Promise<T | null> =>
    upstream("token facts", () =>
      orNull(() => contract.getFunction(name).staticCall({ blockTag: blockNumber }) as Promise<T>),
    );
  const [shares, halted] = await Promise.all([ask<bigint>("sharesPerToken"), ask<boolean>("tradingHalted")]);
  if (shares === null || halted === null) return null;
  return { source, sharesPerToken: decimal(shares, 18), halted };
}
