/** The guard's AccessManager: who holds which role after which delay, and what is scheduled. */
import { getAddress, type Provider } from "ethers";
import { managerAt } from "../abis.ts";
import { upstream } from "../rpc.ts";
import { type Operation, operationId, type Scheduled } from "./schedule.ts";

/** The manager's roles as `contracts/GuardDeployment.sol` numbers them. */
export const ROLE_IDS = { admin: 0, operator: 1, pauser: 2 } as const;
export type Role = keyof typeof ROLE_IDS;
export const ROLES = Object.keys(ROLE_IDS) as Role[];

export interface Member {
  readonly account: string;
  /** Seconds that its calls have to wait. */
  readonly delay: number;
}

export interface Access {
  readonly holders: Readonly<Record<Role, readonly Member[]>>;
  /** The next to become ready first. */
  readonly scheduled: readonly Scheduled[];
}

/**
 * The roles that an account holds, with the delay of each.
 * @throws UpstreamUnavailable
 */
export async function rolesOf(
  provider: Provider,
  manager: string,
  account: string,
  blockTag: number,
): Promise<Map<Role, number>> {
  const contract = managerAt(manager, provider);
  const answers = await upstream("roles", () =>
    Promise.all(ROLES.map((role) => contract.hasRole(ROLE_IDS[role], account, { blockTag }))),
  );
  const held = ROLES.map((role, index) => [role, answers[index]!] as const).filter(
    ([, [isMember]]) => isMember,
  );
  return new Map(held.map(([role, [, delay]]) => [role, Number(delay)]));
}

/**
 * Of these operations, those that are still scheduled at a block: not executed, cancelled or expired.
 * @throws UpstreamUnavailable
 */
async function stillScheduled(
  provider: Provider,
  manager: string,
  operations: readonly Operation[],
  blockTag: number,
): Promise<Scheduled[]> {
  const contract = managerAt(manager, provider);
  const times = await upstream("schedule", () =>
    Promise.all(operations.map((operation) => contract.getSchedule(operationId(operation), { blockTag }))),
  );
  return operations
    .map((operation, index) => ({ ...operation, id: operationId(operation), readyAt: Number(times[index]) }))
    .filter(({ readyAt }) => readyAt !== 0)
    .sort((a, b) => a.readyAt - b.readyAt);
}

/**
 * Which of these accounts hold a role, and which of these operations wait.
 * @throws UpstreamUnavailable
 */
export async function readAccess(
  provider: Provider,
  manager: string,
  {
    accounts,
    operations,
  }: { readonly accounts: readonly string[]; readonly operations: readonly Operation[] },
  blockTag: number,
): Promise<Access> {
  const distinct = [...new Set(accounts)];
  const held = await Promise.all(distinct.map((account) => rolesOf(provider, manager, account, blockTag)));
  const membersOf = (role: Role) =>
    distinct
      .map((account, index) => ({ account, delay: held[index]!.get(role) }))
      .filter((member): member is Member => member.delay !== undefined);
  return {
    holders: { admin: membersOf("admin"), operator: membersOf("operator"), pauser: membersOf("pauser") },
    scheduled: await stillScheduled(provider, manager, operations, blockTag),
  };
}

/** The operation that an OperationScheduled event tells. */
export function operationIn(args: Record<string, unknown>): Operation {
  const { caller, target, data } = args;
  return { caller: getAddress(String(caller)), target: getAddress(String(target)), data: String(data) };
}
