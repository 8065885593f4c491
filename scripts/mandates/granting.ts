/** What commands on mandates share: who grants to whom, by which calls, and whether the chain says so after it. */
import { readMandate } from "../../chain/guard/mandates.ts";
import { ownerCall, ZERO_ADDRESS } from "../../chain/mandates/calls.ts";
import type { Mandate } from "../../chain/mandates/mandate.ts";
import { CommandError, UsageError } from "../errors.ts";
import type { Way } from "../plan/plain.ts";
import { addressFrom, type Session } from "../session/session.ts";
import { readSafe, type SafeState } from "./safes.ts";
import { isLeftOf, required, type TermGiven } from "./terms.ts";

/** @throws UsageError, also for the address that nobody has */
export function holderFrom(typed: string | undefined, option: string): string {
  const address = addressFrom(required(typed, option), option);
  if (address === ZERO_ADDRESS) throw new UsageError(`${option} must not be the zero address.`);
  return address;
}

/** @throws UsageError where the agent's key could do more than trade: then no mandate bounds it */
export function agentFrom({ agent: typed }: TermGiven, others: readonly string[]): string {
  const agent = holderFrom(typed, "--agent");
  if (others.includes(agent))
    throw new UsageError("--agent must be a key of its own: neither an owner of the Safe nor the Safe.");
  return agent;
}

/** @throws CommandError `usage`, `refused` */
export async function safeFrom(
  session: Session,
  typed: string | undefined,
  module: string,
): Promise<SafeState> {
  const address = addressFrom(required(typed, "--safe-address"), "--safe-address");
  return await readSafe(session, address, module);
}

export const ownersOf = ({ owners, threshold }: Pick<SafeState, "owners" | "threshold">) =>
  `${threshold} of ${owners.join(", ")}`;

/** Where one owner suffices, each can send it alone. */
export const waysOf = (
  { address, owners, threshold }: SafeState,
  call: Parameters<typeof ownerCall>[2],
): Way[] => (threshold === 1 ? owners.map((by) => ({ by, call: ownerCall(address, by, call) })) : []);

export const whoMay = (safe: SafeState) =>
  `This is for ${ownersOf(safe)}${safe.threshold === 1 ? "" : ": write a file for the Safe with --safe <file>"}.`;

export function showWanted(
  { world, connection, place }: Session,
  { safe, agent, owners }: Omit<Wanted, "mandate">,
  terms: readonly string[],
): void {
  world.out(`Chain    ${connection.chainId} (${connection.networkName})`);
  world.out(`Guard    ${place.guard}`);
  world.out(`Safe     ${safe}, ${owners}`);
  world.out(`Agent    ${agent}${terms.length === 0 ? "" : " will be able to"}`);
  for (const line of terms) world.out(`         ${line}`);
}

export interface Wanted {
  readonly safe: string;
  readonly agent: string;
  readonly owners: string;
  readonly mandate: Mandate;
}

/** @throws CommandError `not_as_sent` */
export async function assertGranted(session: Session, module: string, wanted: Wanted): Promise<void> {
  const { safe, agent } = wanted;
  const { mandate } = await readMandate(session.connection.provider, { module, safe, agent });
  const state = await readSafe(session, safe, module);
  const refuse = (words: string): never => {
    throw new CommandError("not_as_sent", `The Safe ${safe} ${words}.`);
  };
  if (!state.enabled) refuse("has not enabled the module");
  if (ownersOf(state) !== wanted.owners) refuse(`is of ${ownersOf(state)}`);
  if (mandate === null) return refuse("has granted nothing");
  if (!isLeftOf(mandate, wanted.mandate)) refuse("has granted another mandate: assay mandate list shows it");
  session.world.out(`Granted: ${agent} can trade for ${safe} from this block on.`);
}
