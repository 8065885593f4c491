/** What became of a transaction that was written down as pending. */
import type { JsonRpcProvider, TransactionReceipt } from "ethers";
import { upstream } from "../../../api/chain/rpc.ts";
import type { Pending } from "../records/pending.ts";

export type Outcome =
  | { readonly kind: "mined"; readonly receipt: TransactionReceipt }
  /** Another transaction of the account took its nonce. */
  | { readonly kind: "replaced" }
  /** The node knows it; no block has it yet. */
  | { readonly kind: "waiting" }
  /** No block has it and the node does not know it: dropped, or never sent. */
  | { readonly kind: "unknown" };

/** @throws UpstreamUnavailable */
export async function lookUp(provider: JsonRpcProvider, pending: Pending): Promise<Outcome> {
  const hashes = pending.attempts.map(({ hash }) => hash).filter((hash) => hash !== null);
  const receiptOf = async () => {
    for (const hash of hashes) {
      const receipt = await upstream("receipt", () => provider.getTransactionReceipt(hash));
      if (receipt !== null) return receipt;
    }
    return null;
  };
  const receipt = await receiptOf();
  if (receipt !== null) return { kind: "mined", receipt };
  if ((await upstream("nonce", () => provider.getTransactionCount(pending.from, "latest"))) > pending.nonce) {
    // It may have been mined between the two questions.
    const late = await receiptOf();
    return late === null ? { kind: "replaced" } : { kind: "mined", receipt: late };
  }
  for (const hash of hashes)
    if ((await upstream("transaction", () => provider.getTransaction(hash))) !== null)
      return { kind: "waiting" };
  return { kind: "unknown" };
}
