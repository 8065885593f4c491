/** Keys that everybody has. What they sign proves nothing. */
import { getAddress } from "ethers";
import KEYS from "./developmentKeys.json" with { type: "json" };

const KNOWN = new Set(Object.values(KEYS).flat());

export function isDevelopmentKey(address: string): boolean {
  return KNOWN.has(getAddress(address));
}
