/** Which attestation key a guard named, now and at a block: from its state, or else from its events. */
import { getAddress, id, ZeroAddress } from "ethers";
import { type Rpc, RpcRefused } from "./jsonRpc.ts";
import { findLogs, hexBytes, type Log, Quantity, quantity } from "./logs.ts";

const SIGNER_ROTATED = id("SignerRotated(address,address)");
const SIGNER = id("signer()").slice(0, 10);

export interface GuardKeys {
  readonly guard: string;
  /** The key that the guard names in the newest block. */
  readonly now: string;
  /** The newest block. */
  readonly head: number;
  /** Where the guard's record says it; shortens the search for events. */
  readonly deployedAtBlock: number | undefined;
}

/** @returns null where there is no guard. @throws RpcRefused, RpcUnreachable */
export async function readKeys(
  guard: string,
  deployedAtBlock: number | undefined,
  rpc: Rpc,
): Promise<GuardKeys | null> {
  const head = Number(Quantity.parse(await rpc("eth_blockNumber", [])));
  const now = await signerIn("latest", guard, rpc);
  return now === null ? null : { guard, now, head, deployedAtBlock };
}

/**
 * The key that the guard named at a block.
 * @returns null where there was no guard yet
 * @throws RpcRefused with the reason where neither state nor events of that time are available
 */
export async function keyAt(block: number, keys: GuardKeys, rpc: Rpc): Promise<string | null> {
  let refusal = "it answers nothing";
  try {
    const signer = await signerIn(quantity(block), keys.guard, rpc);
    if (signer !== null) return signer;
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    refusal = error.message;
  }
  // The node has no state of that time, or there was no guard: the events tell which.
  try {
    return await keyByEvents(block, keys, rpc);
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    throw new RpcRefused(
      `it has neither the guard's state at block ${block} (${refusal}) nor its events since (${error.message})`,
    );
  }
}

async function signerIn(block: string, guard: string, rpc: Rpc): Promise<string | null> {
  const answer = await rpc("eth_call", [{ to: guard, data: SIGNER }, block]);
  return answer === "0x" ? null : getAddress(`0x${hexBytes(32).parse(answer).slice(26)}`);
}

async function keyByEvents(block: number, keys: GuardKeys, rpc: Rpc): Promise<string | null> {
  const { guard, head, deployedAtBlock } = keys;
  const search = { address: guard, topics: [SIGNER_ROTATED] };
  if (deployedAtBlock !== undefined && deployedAtBlock <= block && block - deployedAtBlock < head - block) {
    // The last change up to that block: each span without one is passed, so all of them are looked at.
    let last: Log | undefined;
    for (let from = deployedAtBlock; from <= block; ) {
      const { logs, searchedTo } = await findLogs({ ...search, from, to: block }, rpc);
      last = logs.at(-1) ?? last;
      if (logs.length === 0 && searchedTo < block) throw tooFar(searchedTo);
      from = searchedTo + 1;
    }
    return last === undefined ? null : addressIn(last, 2);
  }
  const { logs, searchedTo } = await findLogs({ ...search, from: block + 1, to: head }, rpc);
  const [next] = logs;
  if (next === undefined && searchedTo < head) throw tooFar(searchedTo);
  // Nothing changed since: the key of now is the key of then.
  const key = next === undefined ? keys.now : addressIn(next, 1);
  return key === ZeroAddress ? null : key;
}

const tooFar = (block: number) => new RpcRefused(`the search was given up at block ${block}`);

function addressIn({ topics }: Log, index: number): string {
  return getAddress(`0x${hexBytes(32).parse(topics[index]).slice(26)}`);
}
