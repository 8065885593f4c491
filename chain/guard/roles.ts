/** The part of the guard's state that is in single slots: one round of questions, fast enough for an emergency. */
import { getAddress, type Provider } from "ethers";
import { guardAt } from "../abis.ts";
import { NoGuard } from "../chainErrors.ts";
import { orNull, upstream } from "../rpc.ts";

export interface GuardRoles {
  readonly guard: string;
  /** The AccessManager that says who may call what. */
  readonly manager: string;
  readonly executor: string;
  readonly paused: boolean;
  /** The attestation key. */
  readonly signer: string;
  /** The block that all of this was read at, and its time in unix seconds. */
  readonly block: number;
  readonly blockTime: number;
}

/**
 * @throws NoGuard when there is none at the address; UpstreamUnavailable
 */
export async function readRoles(provider: Provider, guard: string): Promise<GuardRoles> {
  const block = await upstream("latest block", () => provider.getBlock("latest"));
  if (block === null) throw new NoGuard("The chain has no blocks yet.");
  const at = { blockTag: block.number };
  const contract = guardAt(guard, provider);
  const read = await upstream("guard state", () =>
    orNull(() =>
      Promise.all([contract.executor(at), contract.paused(at), contract.signer(at), contract.authority(at)]),
    ),
  );
  if (read === null)
    throw new NoGuard(`There is no guard at ${guard} on this chain (block ${block.number}).`);
  const [executor, paused, signer, manager] = read;
  return {
    guard: getAddress(guard),
    manager: getAddress(manager),
    executor: getAddress(executor),
    paused,
    signer: getAddress(signer),
    block: block.number,
    blockTime: block.timestamp,
  };
}
