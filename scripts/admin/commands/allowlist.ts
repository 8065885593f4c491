/** `guard allow-route`, `disallow-route`, `allow-recipient`, `disallow-recipient`. */
import { upstream } from "../../../api/chain/rpc.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { carryOut } from "../act/carryOut.ts";
import { AdminError, type ExitCode } from "../errors.ts";
import { setRecipientCall, setRouteCall } from "../guard/calls.ts";
import { readRoles } from "../guard/roles.ts";
import { checkRoute } from "../routes/check.ts";
import { nameOfContract } from "../routes/known.ts";
import { tokenAt } from "../routes/tokens.ts";
import { describeSelector, selectorFrom } from "../selectors.ts";
import { addressFrom, type Session, withSession } from "../session.ts";
import type { AdminWorld } from "../world.ts";
import { type ActArguments, actOptions } from "./options.ts";

export interface RouteArguments extends ActArguments {
  readonly route: string;
  /** `0x38ed1739`, a signature, or the bare name of a known router function. */
  readonly selector: string;
}

/** @returns the exit code */
export async function setRoute(world: AdminWorld, args: RouteArguments, allowed: boolean): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const key = { route: addressFrom(args.route, "The route"), selector: selectorOf(args.selector) };
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const isAllowed = await viewOf(session, "isRouteAllowed", [key.route, key.selector]);
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

export interface RecipientArguments extends ActArguments {
  readonly recipient: string;
}

/** @returns the exit code */
export async function setRecipient(
  world: AdminWorld,
  args: RecipientArguments,
  allowed: boolean,
): Promise<ExitCode> {
  return await withSession(world, async (session) => {
    const options = actOptions(args);
    const recipient = addressFrom(args.recipient, "The recipient");
    const roles = await readRoles(session.connection.provider, session.place.guard);
    const isAllowed = await viewOf(session, "isRecipientAllowed", [recipient]);
    const token = tokenAt(session.connection.chainId, session.registry, recipient);
    if (allowed && token !== null)
      throw new AdminError("refused", `${recipient} is ${token}: what it receives is lost.`);
    const calls = isAllowed === allowed ? [] : [setRecipientCall(recipient, allowed)];
    const command = `guard ${allowed ? "allow" : "disallow"}-recipient`;
    return await carryOut(session, roles, calls, options, command);
  });
}

async function viewOf(
  { connection: { provider }, place }: Session,
  view: "isRouteAllowed" | "isRecipientAllowed",
  args: readonly string[],
): Promise<boolean> {
  const guard = TradeGuard__factory.connect(place.guard, provider);
  return Boolean(await upstream("guard allowlists", () => guard.getFunction(view).staticCall(...args)));
}

function selectorOf(text: string): string {
  const selector = selectorFrom(text);
  if (selector !== null) return selector;
  throw new AdminError(
    "usage",
    `${text} is no selector: 0x and 8 hexadecimal digits, a whole signature such as "f(uint256)", or the name of a router function that is the only one of its name.`,
  );
}
