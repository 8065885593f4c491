/** `assay guard allow-route` and `disallow-route`. */
import { describeSelector, selectorFrom } from "../../chain/dex/selectors.ts";
import { setRouteCall } from "../../chain/guard/adminCalls.ts";
import type { RouteKey } from "../../chain/guard/allowlists.ts";
import { upstream } from "../../chain/rpc.ts";
import { addressFrom, type Session } from "../admin/session.ts";
import { command } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { actOnGuard } from "../plan/carryOut.ts";
import { ACT_OPTIONS } from "../plan/options.ts";
import { checkRoute, isListed } from "./allowlists.ts";
import { nameOfContract } from "./known.ts";

const ROUTE = {
  route: { words: "the router's address" },
  selector: { words: "0x and 8 digits, a whole signature, or the name of a known router function" },
};

export const allowRoute = command({
  summary: "Allow trades to use a function of a router",
  positionals: ROUTE,
  options: ACT_OPTIONS,
  run: (given, world) =>
    actOnGuard(world, given, "guard allow-route", async (session, roles) => {
      const key = keyFrom(given);
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
      const key = keyFrom(given);
      if (!(await isListed(session, "isRouteAllowed", [key.route, key.selector]))) {
        await assertContract(session, key.route);
        return [];
      }
      const label = nameOfContract(session.connection.chainId, session.registry, key.route, null);
      return [setRouteCall(key, false, label)];
    }),
});

/** @throws UsageError */
function keyFrom({ route, selector: typed }: { route: string; selector: string }): RouteKey {
  const selector = selectorFrom(typed);
  if (selector === null)
    throw new UsageError(
      `${typed} is not a selector: use 0x and 8 hexadecimal digits, a whole signature such as "f(uint256)", or the name of a router function whose name is unique.`,
    );
  return { route: addressFrom(route, "The route"), selector };
}

/** A route that is not on the list is fine to hear of, unless the address is a slip of the pen. */
async function assertContract({ connection: { provider } }: Session, route: string): Promise<void> {
  if ((await upstream("code", () => provider.getCode(route))) === "0x")
    throw new CommandError(
      "unknown_route",
      `${route} is not on the list, and there is no contract at this address.`,
    );
}
