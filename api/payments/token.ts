/** What the chain says about an authorization: unused, spent on a transfer to us, or spent otherwise. */
import { Contract, id, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { UpstreamUnavailable } from "../../chain/errors.ts";
import { assertChain, upstream } from "../../chain/rpc.ts";

const ABI = [
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
];
const USED = id("AuthorizationUsed(address,bytes32)");
const CANCELED = id("AuthorizationCanceled(address,bytes32)");
const TRANSFER = id("Transfer(address,address,uint256)");

/** Nodes limit how many blocks one question about events may span. */
const BLOCKS_A_QUESTION = 2_000;
/** The block at which a nonce was seen unused may itself be reorganised away. */
const REORG_MARGIN = 64;

/** An authorization that was presented to us, as the token knows it. */
export interface Awaited {
  readonly asset: string;
  readonly payer: string;
  /** Lower case. */
  readonly nonce: string;
  readonly payTo: string;
  /** Raw units. */
  readonly amount: string;
  /** Unix seconds of block time. */
  readonly validBefore: number;
  /** Where it was seen unused. */
  readonly unusedAtBlock: number;
  /** A transaction that may have settled it. */
  readonly hint: string | null;
}

export interface Transferred {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

export type Sight =
  /** Paid to us, under as many blocks as are wanted. */
  | ({ readonly state: "paid" } & Transferred)
  /** In a block, which could still be reorganised away; or used, and the node has no event of it yet. */
  | { readonly state: "unclear" }
  | { readonly state: "unused" }
  /** Never used, and from now on it cannot be. */
  | { readonly state: "expired" }
  /** Cancelled, or used for a transfer that is not the one agreed on. */
  | { readonly state: "spent_otherwise" };

/** Every function throws `UpstreamUnavailable` when the node does not answer or serves another chain. */
export interface TokenReader {
  /** @returns the block at which the nonce is unused; null when it is used or cancelled */
  unusedAt(asset: string, payer: string, nonce: string): Promise<number | null>;
  look(authorization: Awaited): Promise<Sight>;
  /** Raw units. */
  balanceOf(asset: string, account: string): Promise<bigint>;
}

interface ReaderDeps {
  readonly provider: JsonRpcProvider;
  readonly chainId: number;
  /** Blocks from a transfer's own on until it counts. */
  readonly confirmations: number;
}

export function createTokenReader(deps: ReaderDeps): TokenReader {
  let checked: Promise<void> | undefined;
  function rightChain(): Promise<void> {
    checked ??= assertChain(deps.provider, deps.chainId).catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  }
  return {
    async unusedAt(asset, payer, nonce) {
      await rightChain();
      const { number } = await blockOf(deps, "latest");
      return (await isUsed(deps, asset, payer, nonce, number)) ? null : number;
    },
    balanceOf: (asset, account) =>
      upstream("balance", () =>
        new Contract(asset, ABI, deps.provider).getFunction("balanceOf").staticCall(account),
      ),
    async look(awaited) {
      await rightChain();
      return lookFor(deps, awaited);
    },
  };
}

async function lookFor(deps: ReaderDeps, awaited: Awaited): Promise<Sight> {
  const { confirmations } = deps;
  const hinted = awaited.hint === null ? null : await transferIn(deps, awaited.hint, awaited);
  // A receipt is in a block: the shortest way when one block is all that is wanted.
  if (hinted && confirmations === 1) return { state: "paid", ...hinted };

  const head = await blockOf(deps, "latest");
  if (!(await isUsed(deps, awaited.asset, awaited.payer, awaited.nonce, head.number))) {
    const settled = await blockOf(deps, Math.max(0, head.number - confirmations + 1));
    return { state: settled.timestamp >= awaited.validBefore ? "expired" : "unused" };
  }
  const event = await eventOf(deps, awaited, head.number);
  if (event === null || head.number - event.blockNumber + 1 < confirmations) return { state: "unclear" };
  if (event.topics[0] !== USED) return { state: "spent_otherwise" };
  const transferred = await transferIn(deps, event.transactionHash, awaited);
  // Its block went away between the two questions.
  if (transferred === null) return { state: "unclear" };
  return transferred ? { state: "paid", ...transferred } : { state: "spent_otherwise" };
}

async function blockOf(
  { provider }: ReaderDeps,
  tag: number | "latest",
): Promise<{ number: number; timestamp: number }> {
  const block = await upstream("block", () => provider.getBlock(tag));
  if (block === null) throw new UpstreamUnavailable("The chain's RPC does not know its own block.");
  return block;
}

/** At the block that was read: of several nodes behind one address, one that is behind says so. */
function isUsed(
  { provider }: ReaderDeps,
  asset: string,
  payer: string,
  nonce: string,
  blockTag: number,
): Promise<boolean> {
  return upstream("authorization", () =>
    new Contract(asset, ABI, provider)
      .getFunction("authorizationState")
      .staticCall(payer, nonce, { blockTag }),
  );
}

async function eventOf({ provider }: ReaderDeps, awaited: Awaited, head: number): Promise<Log | null> {
  const topics = [[USED, CANCELED], zeroPadValue(awaited.payer, 32), awaited.nonce];
  for (
    let from = Math.max(0, awaited.unusedAtBlock - REORG_MARGIN);
    from <= head;
    from += BLOCKS_A_QUESTION
  ) {
    const to = Math.min(head, from + BLOCKS_A_QUESTION - 1);
    const [log] = await upstream("events", () =>
      provider.getLogs({ address: awaited.asset, topics, fromBlock: from, toBlock: to }),
    );
    if (log !== undefined) return log;
  }
  return null;
}

/** @returns the transfer; false when the transaction holds none; null when it is in no block */
async function transferIn(
  { provider }: ReaderDeps,
  transactionHash: string,
  awaited: Awaited,
): Promise<Transferred | false | null> {
  const receipt = await upstream("receipt", () => provider.getTransactionReceipt(transactionHash));
  if (receipt === null) return null;
  const { blockNumber, blockHash } = receipt;
  return pays(receipt.logs, awaited) && { transactionHash, blockNumber, blockHash };
}

/**
 * Whether a transaction's events hold the authorization together with its own transfer: the first one of the token
 * after it. Any transfer of the right amount would not do: a transaction can carry out several authorizations.
 */
function pays(logs: readonly Log[], { asset, payer, nonce, payTo, amount }: Awaited): boolean {
  const ofToken = logs.filter(({ address }) => address.toLowerCase() === asset.toLowerCase());
  const used = ofToken.findIndex(
    ({ topics }) =>
      topics[0] === USED && topics[1] === zeroPadValue(payer, 32).toLowerCase() && topics[2] === nonce,
  );
  if (used < 0) return false;
  const next = ofToken.slice(used + 1).find(({ topics }) => topics[0] === TRANSFER || topics[0] === USED);
  return (
    next?.topics[0] === TRANSFER &&
    next.topics[1] === zeroPadValue(payer, 32).toLowerCase() &&
    next.topics[2] === zeroPadValue(payTo, 32).toLowerCase() &&
    BigInt(next.data) === BigInt(amount)
  );
}
