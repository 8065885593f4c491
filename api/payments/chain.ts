/**
 * What the chain says about an authorization: unused, used for a transfer to us, or used otherwise. How that can be seen
 * depends on the method: `eip3009.ts`, `permit2.ts`.
 */
import { Contract, type JsonRpcProvider } from "ethers";
import { assertChain, upstream } from "../../chain/rpc.ts";
import { blockOf, type Method, type Transfer, type Wanted } from "./chainEvents.ts";
import { EIP3009 } from "./eip3009.ts";
import { methodOfNonce } from "./payload.ts";
import { PERMIT2_TRANSFERS } from "./permit2.ts";
import { isOfContract, isOwn, type Signed, type SignedBy } from "./signature.ts";

const ABI = [
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
];

export type Observation =
  | { readonly state: "unused" }
  /** Never used, and from now on it cannot be. */
  | { readonly state: "expired" }
  | {
      readonly state: "used";
      /**
       * The agreed transfers that may be its own, under as many blocks as are wanted, the likeliest first. One that another
       * payment has claimed is not.
       */
      readonly transfers: readonly Transfer[];
      /** Nothing else can come: without a transfer it was cancelled, or used for another one. */
      readonly isOver: boolean;
    };

export type PaymentChain = ReturnType<typeof createPaymentChain>;

interface Node {
  readonly provider: JsonRpcProvider;
  readonly chainId: number;
  /** Blocks from a transfer's own on until it counts. */
  readonly confirmations: number;
}

const methodOf = ({ nonce }: { readonly nonce: string }): Method =>
  methodOfNonce(nonce) === "permit2" ? PERMIT2_TRANSFERS : EIP3009;

/** Every function throws `UpstreamUnavailable` when the node does not answer or serves another chain. */
export function createPaymentChain(node: Node) {
  const { provider } = node;
  let checked: Promise<void> | undefined;
  function rightChain(): Promise<void> {
    checked ??= assertChain(provider, node.chainId).catch((error: unknown) => {
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
    /** @param hint a transaction that may have settled it */
    async observe(wanted: Wanted, hint: string | null): Promise<Observation> {
      await rightChain();
      return observeOn(node, wanted, hint);
    },
    /** @returns null when it is not the signature of whom it names */
    async signerKindOf(signed: Signed): Promise<SignedBy | null> {
      if (isOwn(signed)) return "own";
      await rightChain();
      return (await isOfContract(provider, signed)) ? "contract" : null;
    },
  };
}

async function observeOn(
  { provider, confirmations }: Node,
  wanted: Wanted,
  hint: string | null,
): Promise<Observation> {
  const method = methodOf(wanted);
  const hinted = hint === null ? [] : ((await method.transfersIn(provider, hint, wanted)) ?? []);
  const isProven = hinted.some(({ namesNonce }) => namesNonce);
  // A receipt is in a block: the shortest way when one block is all that is wanted.
  if (isProven && confirmations === 1) return { state: "used", transfers: hinted, isOver: false };

  const head = await blockOf(provider, "latest");
  const settledBlock = () => blockOf(provider, Math.max(0, head.number - confirmations + 1));
  if (!(await method.isUsed(provider, wanted, head.number)))
    return { state: (await settledBlock()).timestamp >= wanted.validBefore ? "expired" : "unused" };

  const { transfers, endedAtBlock } = await method.useOf(provider, wanted, head.number);
  // What the transaction itself shows counts where the node's events are behind.
  const all = [...hinted, ...transfers];
  const isDeep = (block: number) => head.number - block + 1 >= confirmations;
  const deep = all.filter(({ blockNumber }) => isDeep(blockNumber));
  return {
    state: "used",
    transfers: [
      ...deep.filter(({ namesNonce }) => namesNonce),
      ...deep.filter(({ namesNonce }) => !namesNonce),
    ],
    isOver: deep.length === all.length && (await isOver()),
  };

  async function isOver(): Promise<boolean> {
    if (endedAtBlock !== null) return isDeep(endedAtBlock);
    const { silentAfterSeconds } = method;
    if (silentAfterSeconds === null) return false;
    return (await settledBlock()).timestamp >= wanted.validBefore + silentAfterSeconds;
  }
}
