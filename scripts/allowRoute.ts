/** `guard allow-route` and `guard disallow-route`. */
import type { NewTaskActionFunction } from "hardhat/types/tasks";
import { describeSelector, selectorFrom } from "../chain/dex/selectors.ts";
import { setRouteCall } from "../chain/guard/adminCalls.ts";
import { readRoles } from "../chain/guard/roles.ts";
import { upstream } from "../chain/rpc.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import { checkRoute } from "./allowlists/checkRoute.ts";
import { isListed } from "./allowlists/isListed.ts";
import { nameOfContract } from "./allowlists/known.ts";
import type { AdminContext } from "./session/context.ts";
import { runAdmin, type TaskArguments, typedPath } from "./session/runAdmin.ts";
import { addressFrom, type Session, withSession } from "./session/session.ts";
import { carryOut } from "./transactions/carryOut.ts";
import { type ActArguments, actOptions } from "./transactions/options.ts";

export interface RouteArguments extends ActArguments {
  readonly route: string;
  /** `0x38ed1739`, a signature, or the bare name of a known router function. */
  readonly selector: string;
}

/** @returns the exit code */
export async function setRoute(
  world: AdminContext,
  args: RouteArguments,
  allowed: boolean,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const key = { route: addressFrom(args.route, "The route"), selector: selectorOf(args.selector) };
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const isAllowed = await isListed(session, "isRouteAllowed", [key.route, key.selector]);
    const command = `guard ${allowed ? "allow" : "disallow"}-route`;
    if (isAllowed === allowed) {
      if (!allowed) await assertEverKnown(session, key.route);
      return await carryOut(session, roles, [], options, command);
    }
    // What is taken off the list may be anything; what goes on it may not.
    const label = allowed
      ? await look(session, roles.executor, key)
      : nameOfContract(session.connection.chainId, session.registry, key.route, null);
    return await carryOut(session, roles, [setRouteCall(key, allowed, label)], options, command);
  });
}

async function look(session: Session, executor: string, key: { route: string; selector: string }) {
  const { world, connection, place, registry } = session;
  const { label, warnings } = await checkRoute(
    { provider: connection.provider, chainId: connection.chainId, guard: place.guard, executor, registry },
    key,
  );
  world.print(`Route    ${key.route}, ${label ?? "not known here"}`);
  world.print(`Function ${describeSelector(key.selector)}`);
  for (const warning of warnings) world.print(`WARNING  ${warning}`);
  world.print("");
  return label;
}

/** A route that is not on the list is fine to hear of, unless the address is a slip of the pen. */
async function assertEverKnown({ connection: { provider } }: Session, route: string): Promise<void> {
  const code = await upstream("code", () => provider.getCode(route));
  if (code === "0x")
    throw new AdminError(
      "unknown_route",
      `${route} is not on the list, and there is no contract at this address.`,
    );
}

function selectorOf(text: string): string {
  const selector = selectorFrom(text);
  if (selector !== null) return selector;
  throw new AdminError(
    "usage",
    `${text} is not a selector: use 0x and 8 hexadecimal digits, a whole signature such as "f(uint256)", or the name of a router function whose name is unique.`,
  );
}

const actionOf =
  (allowed: boolean): NewTaskActionFunction<TaskArguments<RouteArguments>> =>
  (args, hre) =>
    runAdmin(hre, args, (world) => setRoute(world, { ...args, safe: typedPath(args.safe) }, allowed));

export const allowAction = actionOf(true);
export const disallowAction = actionOf(false);
