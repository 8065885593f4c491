/** EIP-3009: the token itself keeps the nonces, and emits an event for each that is used or cancelled. */
import { Contract, id, type JsonRpcProvider, type Log, zeroPadValue } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import { eventsSince, sameAddress, TRANSFER } from "./chainEvents.ts";
import type { Method, Transferred, Wanted } from "./transferMethod.ts";

const ABI = ["function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"];
const USED = id("AuthorizationUsed(address,bytes32)");
const CANCELED = id("AuthorizationCanceled(address,bytes32)");

export const EIP3009: Method = {
  silentAfterSeconds: null,
  isUsed: (node, { asset, payer, nonce }, blockTag) =>
    upstream("authorization", () =>
      new Contract(asset, ABI, node).getFunction("authorizationState").staticCall(payer, nonce, { blockTag }),
    ),
  transferIn,
  async endOf(node, wanted, head) {
    const event = await eventOf(node, wanted, head);
    if (event === null) return null;
    const spent = { state: "spent_otherwise", blockNumber: event.blockNumber } as const;
    if (event.topics[0] !== USED) return spent;
    const transferred = await transferIn(node, event.transactionHash, wanted);
    // Null: its block went away between the two questions.
    if (transferred === null) return null;
    return transferred ? { state: "paid", ...transferred } : spent;
  },
};

async function eventOf(node: JsonRpcProvider, wanted: Wanted, head: number): Promise<Log | null> {
  const topics = [[USED, CANCELED], zeroPadValue(wanted.payer, 32), wanted.nonce];
  for await (const log of eventsSince(node, wanted.unusedAtBlock, head, { address: wanted.asset, topics }))
    return log;
  return null;
}

async function transferIn(
  node: JsonRpcProvider,
  transactionHash: string,
  wanted: Wanted,
): Promise<Transferred | false | null> {
  const receipt = await upstream("receipt", () => node.getTransactionReceipt(transactionHash));
  if (receipt === null) return null;
  const { blockNumber, blockHash } = receipt;
  return pays(receipt.logs, wanted) && { transactionHash, blockNumber, blockHash };
}

/**
 * Whether a transaction's events hold the authorization together with its own transfer: the first one of the token
 * after it. Any transfer of the right amount would not do: a transaction can carry out several authorizations.
 */
function pays(logs: readonly Log[], { asset, payer, nonce, payTo, amount }: Wanted): boolean {
  const ofToken = logs.filter(({ address }) => sameAddress(address, asset));
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
