/** The changes of a guard that follow from its state alone: trading, routes, recipients and roles. */
import { describeSelector, selectorFrom, tradeSignatures } from "../../chain/dex/selectors.ts";
import {
  type AdminCall,
  grantRoleCall,
  revokeRoleCall,
  setRecipientCall,
  setRouteCall,
  unpauseCall,
} from "../../chain/guard/adminCalls.ts";
import type { RouteKey } from "../../chain/guard/allowlists.ts";
import { ROLES, type Role, rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { openAccounts } from "../admin/accounts.ts";
import { assertControlled, hasCode } from "../admin/holders.ts";
import { readAccess } from "../admin/reading.ts";
import type { Session } from "../admin/session.ts";
import { argument, command, text } from "../command.ts";
import { Refused, UsageError } from "../errors.ts";
import { actOnGuard } from "../plan/byRole.ts";
import { ACT_OPTIONS } from "../plan/options.ts";
import { address, oneOf } from "../typed.ts";
import { checkRoute, isListed } from "./allowlists.ts";
import { nameOfContract, tokenAt } from "./known.ts";

export const unpause = command({
  summary: "Allow trading again",
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard unpause", async (session, roles) => {
      if (!roles.paused) return [];
      // The last look before trades execute again: by whose word.
      session.world.out(`Certificates of ${roles.signer} will count.`);
      const attestor = await session.world.attestor();
      if (attestor !== null && attestor !== roles.signer)
        session.world.out(`WARNING  The service here signs with ${attestor}, which the guard will refuse.`);
      session.world.out("");
      return [unpauseCall(roles)];
    }),
});

const ROUTE = {
  route: argument("the router's address", address),
  selector: argument(
    "0x and 8 digits, a whole signature, or the name of a known router function",
    selectorTyped,
  ),
};

export const allowRoute = command({
  summary: "Allow trades to use a function of a router",
  positionals: ROUTE,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard allow-route", async (session, roles) => {
      const { route, selector } = given;
      const key: RouteKey = { route, selector };
      if (await isListed(session, "isRouteAllowed", [key.route, key.selector])) return [];
      const { label, warnings } = await checkRoute(session, roles.executor, key);
      session.world.out(`Route    ${key.route}, ${label ?? "not known here"}`);
      session.world.out(`Function ${describeSelector(key.selector)}`);
      for (const warning of warnings) session.world.out(`WARNING  ${warning}`);
      session.world.out("");
      return [setRouteCall(key, true, label)];
    }),
});

/** What is taken off the list may be anything; what goes on it may not. */
export const disallowRoute = command({
  summary: "Take a function of a router off the list",
  positionals: ROUTE,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard disallow-route", async (session) => {
      const { route, selector } = given;
      const key: RouteKey = { route, selector };
      if (!(await isListed(session, "isRouteAllowed", [key.route, key.selector]))) {
        await assertContract(session, key.route);
        return [];
      }
      const label = nameOfContract(session.connection.chainId, session.registry, key.route, null);
      return [setRouteCall(key, false, label)];
    }),
});

/** @throws UsageError */
function selectorTyped(typed: string): string {
  const selector = selectorFrom(typed);
  if (selector !== null) return selector;
  throw new UsageError(
    `must be 0x and 8 hexadecimal digits, a whole signature such as "f(uint256)", or the name of a router function whose name is unique. Known are ${tradeSignatures().join(", ")}`,
  );
}

/** A route that is not on the list needs no change, unless the address is a slip of the pen. */
async function assertContract({ connection: { provider } }: Session, route: string): Promise<void> {
  if (!(await hasCode(provider, route)))
    throw new Refused(`${route} is not on the list, and there is no contract at this address.`);
}

const RECIPIENT = { recipient: argument("the recipient's address", address) };

export const allowRecipient = command({
  summary: "Allow trades of any owner to pay an address",
  positionals: RECIPIENT,
  options: ACT_OPTIONS,
  run: ({ recipient, ...given }, world) =>
    actOnGuard(world, given, "guard allow-recipient", async (session) => {
      const token = tokenAt(session.connection.chainId, session.registry, recipient);
      if (token !== null) throw new Refused(`${recipient} is ${token}: everything that it receives is lost.`);
      const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
      return isAllowed ? [] : [setRecipientCall(recipient, true)];
    }),
});

export const disallowRecipient = command({
  summary: "Take a recipient off the list",
  positionals: RECIPIENT,
  options: ACT_OPTIONS,
  run: ({ recipient, ...given }, world) =>
    actOnGuard(world, given, "guard disallow-recipient", async (session) => {
      const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
      return isAllowed ? [setRecipientCall(recipient, false)] : [];
    }),
});

const ROLE = {
  role: argument("admin or pauser", oneOf(["admin", "pauser"])),
  account: argument("the account's address", address),
};

/** What each takes in: an admin's own power over roles comes last. */
const TAKES_IN: Readonly<Record<"admin" | "pauser", readonly Role[]>> = {
  admin: [...ROLES].reverse(),
  pauser: ["pauser"],
};

/** A new admin's calls wait as long as those of the admins until now. */
export const grantRole = command({
  summary: "Make an account an admin, who also operates and pauses, or a pauser",
  positionals: ROLE,
  options: {
    ...ACT_OPTIONS,
    adminProof: text("SIGNATURE", "by which a new admin without code shows its key"),
  },
  run: ({ role: granted, account, ...given }, world) =>
    actOnGuard(world, given, "guard grant-role", async (session, state) => {
      const held = await rolesOf(session.connection.provider, state.manager, account, state.block);
      if (granted === "admin") await assertSuccessor(session, state, account, given.adminProof);
      const { holders } = await readAccess(session);
      const delay = Math.max(0, ...[...holders.admin, ...holders.operator].map((holder) => holder.delay));
      return TAKES_IN[granted]
        .filter((role) => !held.has(role))
        .map((role) => grantRoleCall(role, account, role === "pauser" ? 0 : delay));
    }),
});

export const revokeRole = command({
  summary: "Take the role of an admin or a pauser from an account",
  positionals: ROLE,
  options: ACT_OPTIONS,
  run: ({ role, account, ...given }, world) =>
    actOnGuard(world, given, "guard revoke-role", async (session, state) => {
      const held = await rolesOf(session.connection.provider, state.manager, account, state.block);
      return await revocations(session, account, TAKES_IN[role], held);
    }),
});

async function revocations(
  session: Session,
  account: string,
  taken: readonly Role[],
  held: ReadonlyMap<Role, number>,
): Promise<AdminCall[]> {
  const { holders } = await readAccess(session);
  const isAdmin = held.has("admin");
  if (isAdmin && !taken.includes("admin"))
    throw new Refused(`${account} is an admin, who can always pause: revoke that role.`);
  if (isAdmin && !holders.admin.some((member) => member.account !== account))
    throw new Refused(`${account} is the only admin: grant the role to another one first.`);
  return taken.filter((role) => held.has(role)).map((role) => revokeRoleCall(role, account));
}

/** @throws Refused */
async function assertSuccessor(
  { connection, place, world }: Session,
  state: GuardRoles,
  successor: string,
  adminProof: string | undefined,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new Refused(`${successor} cannot become an admin: ${why}.`);
  };
  if ([place.guard, state.manager, state.executor].includes(successor))
    refuse("it is one of the guard's own contracts");
  if (successor === state.signer)
    refuse("it is the attestation key, and the judge of trades must not choose the routes");
  const accounts = connection.live ? [] : await openAccounts(world, connection);
  const own = accounts.map(({ address }) => address);
  await assertControlled(connection, successor, own, adminProof);
}
