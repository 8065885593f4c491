/** What became of a transaction that was written down as pending. */
import type { JsonRpcProvider, TransactionReceipt } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import type { Pending } from "../records/pending.ts";
import type { Session } from "../session/session.ts";

export type Outcome =
  | { readonly kind: "mined"; readonly receipt: TransactionReceipt }
  /** Another transaction of the account took its nonce. */
  | { readonly kind: "replaced" }
  /** The node knows it; no block has it yet. */
  | { readonly kind: "waiting" }
  /** No block has it and the node does not know it: dropped, or never sent. */
  | { readonly kind: "unknown" };

/** How far back a transaction is looked for that was sent under a hash that nobody here knows. */
const SEARCH_BLOCKS = 5_000;
/** Nodes behind one address may lag behind each other by so much. */
const LAG_MS = 3_000;

/** @throws UpstreamUnavailable */
export async function lookUp(provider: JsonRpcProvider, pending: Pending): Promise<Outcome> {
  const hashes = pending.attempts.map(({ hash }) => hash).filter((hash) => hash !== null);
  const receipt = await receiptAmong(provider, hashes);
  if (receipt !== null) return { kind: "mined", receipt };
  const used = await upstream("nonce", () => provider.getTransactionCount(pending.from, "latest"));
  for (const hash of hashes)
    if ((await upstream("transaction", () => provider.getTransaction(hash))) !== null)
      return { kind: "waiting" };
  if (used <= pending.nonce) return { kind: "unknown" };
  // Mined between two questions, or under another hash: an external signer may pay more, or have told no hash at all.
  const late = (await receiptAmong(provider, hashes)) ?? (await receiptByNonce(provider, pending));
  return late === null ? { kind: "replaced" } : { kind: "mined", receipt: late };
}

/** As `lookUp`, but takes a transaction for replaced only when it looks so twice. */
export async function lookUpTwice({ connection, world }: Session, pending: Pending): Promise<Outcome> {
  const outcome = await lookUp(connection.provider, pending);
  if (outcome.kind !== "replaced") return outcome;
  await world.sleep(LAG_MS);
  return await lookUp(connection.provider, pending);
}

async function receiptAmong(provider: JsonRpcProvider, hashes: readonly string[]) {
  for (const hash of hashes) {
    const receipt = await upstream("receipt", () => provider.getTransactionReceipt(hash));
    if (receipt !== null) return receipt;
  }
  return null;
}

/** By the events of guard and manager, of which every admin call makes one. */
async function receiptByNonce(
  provider: JsonRpcProvider,
  { guard, manager, from, nonce, data }: Pending,
): Promise<TransactionReceipt | null> {
  const latest = await upstream("block", () => provider.getBlockNumber());
  const logs = await upstream("guard events", () =>
    provider.getLogs({
      address: [guard, manager],
      ...{ fromBlock: Math.max(0, latest - SEARCH_BLOCKS + 1), toBlock: latest },
    }),
  );
  for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash).reverse())) {
    const found = await upstream("transaction", () => provider.getTransaction(hash));
    if (found?.from === from && found.nonce === nonce && found.data === data)
      return await upstream("receipt", () => provider.getTransactionReceipt(hash));
  }
  return null;
}
