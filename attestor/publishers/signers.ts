/** The signers of digests, cached: recovering a key is the slow part, and one signed root covers many prices. */
import { toHex } from "../evm/hash.ts";
import { signerOf as recoveredSigner } from "../evm/signature.ts";
import { memo } from "../memo.ts";

const MAX_KNOWN = 4_096;
const signersSeen = new Map<string, string | null>();

/** Address of the key that signed, EIP-55; null for what is no signature. @param compact r and s, 32 bytes each */
export function signerOf(compact: Uint8Array, recovery: number, digest: Uint8Array): string | null {
  const key = `${toHex(digest)}${toHex(compact)}${recovery}`;
  return memo(signersSeen, key, () => recoveredSigner(compact, recovery, digest), MAX_KNOWN);
}
