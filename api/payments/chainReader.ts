/**
 * What the chain says about an authorization: unused, spent on a transfer to us, or spent otherwise. How that can be seen
 * depends on the method: `eip3009.ts`, `permit2.ts`.
 */
import { Contract, type JsonRpcProvider } from "ethers";
import { assertChain, upstream } from "../../chain/rpc.ts";
import { methodOfNonce } from "./authorization.ts";
import { blockOf } from "./chainEvents.ts";
import { EIP3009 } from "./eip3009.ts";
import { PERMIT2_TRANSFERS } from "./permit2.ts";
import { isOfContract, isOwn, type Signed, type SignedBy } from "./signature.ts";
import type { End, Method, Transferred, Wanted } from "./transferMethod.ts";

export type { Transferred } from "./transferMethod.ts";

const ABI = [
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
];

/** An authorization that was presented to us, as the chain knows it. */
export type Awaited = Wanted & {
  /** A transaction that may have settled it. */
  readonly hint: string | null;
};

export type Sight =
  /** Paid to us, under as many blocks as are wanted. */
  | ({ readonly state: "paid" } & Transferred)
  /** In a block, which could still be reorganized away; or used, and the node has no event of it yet. */
  | { readonly state: "unclear" }
  | { readonly state: "unused" }
  /** Never used, and from now on it cannot be. */
  | { readonly state: "expired" }
  /** Cancelled, or used for a transfer that is not the one agreed on. */
  | { readonly state: "spent_otherwise" };

export type ChainReader = ReturnType<typeof createChainReader>;

interface ReaderDeps {
  readonly provider: JsonRpcProvider;
  readonly chainId: number;
  /** Blocks from a transfer's own on until it counts. */
  readonly confirmations: number;
}

const methodOf = ({ nonce }: { readonly nonce: string }): Method =>
  methodOfNonce(nonce) === "permit2" ? PERMIT2_TRANSFERS : EIP3009;

/** Every function throws `UpstreamUnavailable` when the node does not answer or serves another chain. */
export function createChainReader(deps: ReaderDeps) {
  const { provider } = deps;
  let checked: Promise<void> | undefined;
  function rightChain(): Promise<void> {
    checked ??= assertChain(provider, deps.chainId).catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  }
  const ask = (what: string, asset: string, name: string, args: readonly string[]): Promise<bigint> =>
    upstream(what, () => new Contract(asset, ABI, provider).getFunction(name).staticCall(...args));
  return {
    /** @param nonce as in the ledger @returns the block at which it is unused; null when it is used or cancelled */
    async unusedAt(asset: string, payer: string, nonce: string): Promise<number | null> {
      await rightChain();
      const { number } = await blockOf(provider, "latest");
      const used = await methodOf({ nonce }).isUsed(provider, { asset, payer, nonce }, number);
      return used ? null : number;
    },
    /** Raw units. */
    balanceOf: (asset: string, account: string) => ask("balance", asset, "balanceOf", [account]),
    /** Raw units that a spender may take from an account. */
    allowanceOf: (asset: string, account: string, spender: string) =>
      ask("allowance", asset, "allowance", [account, spender]),
    async look(awaited: Awaited): Promise<Sight> {
      await rightChain();
      return lookFor(deps, awaited);
    },
    /** @returns null when it is not the signature of whom it names */
    async signerKindOf(signed: Signed): Promise<SignedBy | null> {
      if (isOwn(signed)) return "own";
      await rightChain();
      return (await isOfContract(provider, signed)) ? "contract" : null;
    },
  };
}

async function lookFor({ provider, confirmations }: ReaderDeps, awaited: Awaited): Promise<Sight> {
  const method = methodOf(awaited);
  const { hint } = awaited;
  const hinted = hint === null ? null : await method.transferIn(provider, hint, awaited);
  // A receipt is in a block: the shortest way when one block is all that is wanted.
  if (hinted && confirmations === 1) return { state: "paid", ...hinted };

  const head = await blockOf(provider, "latest");
  const settled = () => blockOf(provider, Math.max(0, head.number - confirmations + 1));
  if (!(await method.isUsed(provider, awaited, head.number)))
    return { state: (await settled()).timestamp >= awaited.validBefore ? "expired" : "unused" };
  const found = await method.endOf(provider, awaited, head.number);
  // What the transaction itself shows counts where the node's events are behind.
  const end: End | null = found ?? (hinted ? { state: "paid", ...hinted } : null);
  if (end === null) {
    const { silentAfterSeconds } = method;
    if (silentAfterSeconds === null) return { state: "unclear" };
    const isOver = (await settled()).timestamp >= awaited.validBefore + silentAfterSeconds;
    return { state: isOver ? "spent_otherwise" : "unclear" };
  }
  if (head.number - end.blockNumber + 1 < confirmations) return { state: "unclear" };
  return end;
}
