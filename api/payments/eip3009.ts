/** EIP-3009: the token itself keeps the nonces, and emits an event for each that is used or cancelled. */
import { Contract, id, type JsonRpcProvider, type Log } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import {
  AUTHORIZATION_USED,
  eventsSince,
  isAgreed,
  type Method,
  sameAddress,
  TRANSFER,
  type Transfer,
  topicOf,
  type Use,
  type Wanted,
} from "./chainEvents.ts";

const ABI = ["function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"];
const CANCELED = id("AuthorizationCanceled(address,bytes32)");

export const EIP3009: Method = {
  silentAfterSeconds: null,
  isUsed: (node, { asset, payer, nonce }, blockTag) =>
    upstream("authorization", () =>
      new Contract(asset, ABI, node).getFunction("authorizationState").staticCall(payer, nonce, { blockTag }),
    ),
  transfersIn,
  async useOf(node, wanted, head): Promise<Use> {
    const event = await eventOf(node, wanted, head);
    if (event === null) return { transfers: [], endedAtBlock: null };
    if (event.topics[0] === CANCELED) return { transfers: [], endedAtBlock: event.blockNumber };
    const transfers = await transfersIn(node, event.transactionHash, wanted);
    // Its block went away between the two questions.
    if (transfers === null) return { transfers: [], endedAtBlock: null };
    return { transfers, endedAtBlock: event.blockNumber };
  },
};

async function eventOf(node: JsonRpcProvider, wanted: Wanted, head: number): Promise<Log | null> {
  const topics = [[AUTHORIZATION_USED, CANCELED], topicOf(wanted.payer), wanted.nonce];
  for await (const log of eventsSince(node, wanted.unusedAtBlock, head, { address: wanted.asset, topics }))
    return log;
  return null;
}

/**
 * The authorization's own transfer: the first one of the token after its event. Any transfer of the right amount would
 * not do: a transaction can carry out several authorizations.
 */
async function transfersIn(
  node: JsonRpcProvider,
  transactionHash: string,
  wanted: Wanted,
): Promise<Transfer[] | null> {
  const receipt = await upstream("receipt", () => node.getTransactionReceipt(transactionHash));
  if (receipt === null) return null;
  const { blockNumber, blockHash, logs } = receipt;
  const ofToken = logs.filter(({ address }) => sameAddress(address, wanted.asset));
  const used = ofToken.findIndex(
    ({ topics }) =>
      topics[0] === AUTHORIZATION_USED && topics[1] === topicOf(wanted.payer) && topics[2] === wanted.nonce,
  );
  if (used < 0) return [];
  const next = ofToken
    .slice(used + 1)
    .find(({ topics }) => topics[0] === TRANSFER || topics[0] === AUTHORIZATION_USED);
  if (next === undefined || !isAgreed(next, wanted)) return [];
  return [{ transactionHash, blockNumber, blockHash, logIndex: next.index, namesNonce: true }];
}
