/** `guard allow-route` and `guard allow-recipient`, and `guard disallow-…`. */
import { describeSelector, selectorFrom } from "../chain/dex/selectors.ts";
import { setRecipientCall, setRouteCall } from "../chain/guard/adminCalls.ts";
import { upstream } from "../chain/rpc.ts";
import { TradeGuard__factory } from "../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { AdminError, type ExitCode } from "./adminErrors.ts";
import { checkRoute } from "./allowlists/checkRoute.ts";
import { nameOfContract, tokenAt } from "./allowlists/known.ts";
import type { AdminContext } from "./session/context.ts";
import { addressFrom, type Session } from "./session/session.ts";
import { type ActArguments, actOnGuard } from "./transactions/carryOut.ts";

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
  const command = `guard ${allowed ? "allow" : "disallow"}-route`;
  return await actOnGuard(world, args, command, async (session, roles) => {
    const key = { route: addressFrom(args.route, "The route"), selector: selectorOf(args.selector) };
    const isAllowed = await isListed(session, "isRouteAllowed", [key.route, key.selector]);
    if (isAllowed === allowed) {
      if (!allowed) await assertEverKnown(session, key.route);
      return [];
    }
    // What is taken off the list may be anything; what goes on it may not.
    const label = allowed
      ? await look(session, roles.executor, key)
      : nameOfContract(session.connection.chainId, session.registry, key.route, null);
    return [setRouteCall(key, allowed, label)];
  });
}

async function look(session: Session, executor: string, key: { route: string; selector: string }) {
  const { world } = session;
  const { label, warnings } = await checkRoute(session, executor, key);
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

export interface RecipientArguments extends ActArguments {
  readonly recipient: string;
}

/** @returns the exit code */
export async function setRecipient(
  world: AdminContext,
  args: RecipientArguments,
  allowed: boolean,
): Promise<ExitCode> {
  const command = `guard ${allowed ? "allow" : "disallow"}-recipient`;
  return await actOnGuard(world, args, command, async (session) => {
    const recipient = addressFrom(args.recipient, "The recipient");
    const isAllowed = await isListed(session, "isRecipientAllowed", [recipient]);
    const token = tokenAt(session.connection.chainId, session.registry, recipient);
    if (allowed && token !== null)
      throw new AdminError("refused", `${recipient} is ${token}: everything that it receives is lost.`);
    return isAllowed === allowed ? [] : [setRecipientCall(recipient, allowed)];
  });
}

/** Whether the guard lists a route or a recipient now. @throws UpstreamUnavailable */
async function isListed(
  { connection: { provider }, place }: Session,
  view: "isRouteAllowed" | "isRecipientAllowed",
  args: readonly string[],
): Promise<boolean> {
  const guard = TradeGuard__factory.connect(place.guard, provider);
  return Boolean(await upstream("guard allowlists", () => guard.getFunction(view).staticCall(...args)));
}
