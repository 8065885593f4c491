/** A Safe and the mandates that it granted: who may grant, by which calls, and whether the chain says so after it. */

import { type JsonRpcProvider, zeroPadValue } from "ethers";
import { allowanceOf, balanceOf, type Read } from "../../attestor/evm/reads.ts";
import { MODULE_ABI } from "../../chain/abis.ts";
import { revertDataOf } from "../../chain/guard/events.ts";
import { readMandate } from "../../chain/guard/mandates.ts";
import { logPages } from "../../chain/logs.ts";
import { mandateContracts } from "../../chain/mandateContracts.ts";
import { type MandateContracts, ownerCall } from "../../chain/mandates/calls.ts";
import type { Mandate } from "../../chain/mandates/mandate.ts";
import { isEnabled, ownersOf, thresholdOf } from "../../chain/mandates/reads.ts";
import { upstream } from "../../chain/rpc.ts";
import { hasCode } from "../admin/holders.ts";
import type { Session } from "../admin/session.ts";
import { Refused, UsageError } from "../errors.ts";
import type { Way } from "../plan/plain.ts";
import { isLeftOf } from "./terms.ts";

export interface SafeState {
  readonly address: string;
  readonly owners: readonly string[];
  readonly threshold: number;
  /** Whether it has enabled the module. */
  readonly enabled: boolean;
}

/** Those that a file names: a later version of the code stands elsewhere, and has no mandates. */
export function mandatesOf({ place: { guard, mandates } }: Session): MandateContracts {
  const { module, setup } = mandateContracts(guard);
  return mandates ?? { module: module.address, setup: setup.address };
}

/** @throws Refused where they are not there yet */
export async function mandatePlaces(session: Session): Promise<MandateContracts> {
  const places = mandatesOf(session);
  for (const address of Object.values(places))
    if (!(await hasCode(session.connection.provider, address)))
      throw new Refused(`There is no contract at ${address} yet: run assay mandate deploy.`);
  return places;
}

/** @throws Refused for what is no Safe */
export async function readSafe(session: Session, safe: string, module: string): Promise<SafeState> {
  const { provider } = session.connection;
  const none = new Refused(`There is no Safe at ${safe}.`);
  if (!(await hasCode(session.connection.provider, safe))) throw none;
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

/** @throws UsageError where the agent's key could do more than trade: then no mandate bounds it */
export function assertOnlyAgent(agent: string, others: readonly string[]): void {
  if (others.includes(agent))
    throw new UsageError("--agent must be a key of its own: neither an owner of the Safe nor the Safe.");
}

export const ownersText = ({ owners, threshold }: Pick<SafeState, "owners" | "threshold">) =>
  `${threshold} of ${owners.join(", ")}`;

/** Where one owner suffices, each can send it alone. */
export const waysOf = (
  { address, owners, threshold }: SafeState,
  call: Parameters<typeof ownerCall>[2],
): Way[] => (threshold === 1 ? owners.map((by) => ({ by, call: ownerCall(address, by, call) })) : []);

export const whoMay = (safe: SafeState) =>
  `This is for ${ownersText(safe)}${safe.threshold === 1 ? "" : ": write a file for the Safe with --safe <file>"}.`;

/** Who grants what to whom, for the heading. */
export function grantLines(
  { safe, agent, owners }: Omit<Wanted, "mandate">,
  terms: readonly string[],
): string[] {
  return [
    `Safe     ${safe}, ${owners}`,
    `Agent    ${agent}${terms.length === 0 ? "" : " will be able to"}`,
    ...terms.map((line) => `         ${line}`),
  ];
}

export interface Wanted {
  readonly safe: string;
  readonly agent: string;
  readonly owners: string;
  readonly mandate: Mandate;
}

/** @throws Refused */
export async function assertGranted(session: Session, module: string, wanted: Wanted): Promise<void> {
  const { safe, agent } = wanted;
  const { mandate } = await readMandate(session.connection.provider, { module, safe, agent });
  const state = await readSafe(session, safe, module);
  const refuse = (words: string): never => {
    throw new Refused(`The Safe ${safe} ${words}.`);
  };
  if (!state.enabled) refuse("has not enabled the module");
  if (ownersText(state) !== wanted.owners) refuse(`is of ${ownersText(state)}`);
  if (mandate === null) return refuse("has granted nothing");
  if (!isLeftOf(mandate, wanted.mandate)) refuse("has granted another mandate: assay mandate list shows it");
  session.world.out(`Granted: ${agent} can trade for ${safe} from this block on.`);
}
