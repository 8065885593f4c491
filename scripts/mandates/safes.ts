/** A Safe and the mandates that it granted, as the chain has them. */
import { type JsonRpcProvider, zeroPadValue } from "ethers";
import { allowanceOf, balanceOf, type Read } from "../../attestor/evm/reads.ts";
import { MODULE_ABI } from "../../chain/abis.ts";
import { revertDataOf } from "../../chain/guard/events.ts";
import { logPages } from "../../chain/logs.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import type { MandateContracts } from "../../chain/mandates/calls.ts";
import { isEnabled, ownersOf, thresholdOf } from "../../chain/mandates/reads.ts";
import { upstream } from "../../chain/rpc.ts";
import { CommandError } from "../errors.ts";
import type { Session } from "../session/session.ts";

export interface SafeState {
  readonly address: string;
  readonly owners: readonly string[];
  readonly threshold: number;
  /** Whether it has enabled the module. */
  readonly enabled: boolean;
}

export async function hasCode({ connection: { provider } }: Session, address: string): Promise<boolean> {
  return (await upstream("code", () => provider.getCode(address))) !== "0x";
}

/** Those that a file names: a later version of the code stands elsewhere, and has no mandates. */
export function mandatesOf({ place: { guard, mandates } }: Session): MandateContracts {
  const { module, setup } = mandateContracts(guard);
  return mandates ?? { module: module.address, setup: setup.address };
}

/** @throws CommandError `refused` where they are not there yet */
export async function mandatePlaces(session: Session): Promise<MandateContracts> {
  const places = mandatesOf(session);
  for (const address of Object.values(places))
    if (!(await hasCode(session, address)))
      throw new CommandError("refused", `There is no contract at ${address} yet: run assay mandate deploy.`);
  return places;
}

/** @throws CommandError `refused` for what is no Safe */
export async function readSafe(session: Session, safe: string, module: string): Promise<SafeState> {
  const { provider } = session.connection;
  const none = new CommandError("refused", `There is no Safe at ${safe}.`);
  if (!(await hasCode(session, safe))) throw none;
  const asked = async <T>(read: Read<T>) => read.read(await upstream("Safe", () => provider.call(read)));
  try {
    const [owners, threshold, enabled] = await Promise.all([
      asked(ownersOf(safe)),
      asked(thresholdOf(safe)),
      asked(isEnabled(safe, module)),
    ]);
    return { address: safe, owners, threshold: Number(threshold), enabled };
  } catch (error) {
    // It reverts, or answers something else than a Safe would.
    if (revertDataOf(error) !== undefined || error instanceof RangeError) throw none;
    throw error;
  }
}

/** Everybody who was ever granted a mandate by the Safe, the first one first. */
export async function agentsOf(
  { connection, place }: Session,
  module: string,
  safe: string,
): Promise<string[]> {
  const { provider } = connection;
  const latest = await upstream("block", () => provider.getBlockNumber());
  const topics = [MODULE_ABI.getEvent("MandateGranted")!.topicHash, zeroPadValue(safe, 32)];
  const agents = new Set<string>();
  const pages = logPages(
    provider,
    { address: module, topics },
    [place.deployedAtBlock, latest],
    "mandate events",
  );
  for await (const { logs } of pages)
    for (const log of logs) agents.add(String(MODULE_ABI.parseLog(log)?.args.agent));
  return [...agents];
}

/** Raw units. */
export async function holding(provider: JsonRpcProvider, token: string, safe: string, guard: string) {
  const asked = <T>(read: Read<T>) => upstream("token", async () => read.read(await provider.call(read)));
  const [balance, allowance] = await Promise.all([
    asked(balanceOf(token, safe)),
    asked(allowanceOf(token, safe, guard)),
  ]);
  return { balance, allowance };
}
