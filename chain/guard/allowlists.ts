/**
 * The guard's two allowlists. The contract cannot enumerate them, so every pair and address that an event ever named
 * is queried. The view decides; the events only say what to query.
 */
import { getAddress, type JsonRpcProvider } from "ethers";
import { z } from "zod";
import { Address, Selector } from "../../attestor/values/primitives.ts";
import { GUARD_ABI, guardAt, MANAGER_ABI } from "../abis.ts";
import { logPages } from "../logs.ts";
import { upstream } from "../rpc.ts";
import { operationIn } from "./manager.ts";
import { Operation, operationId } from "./schedule.ts";

export const RouteKey = z.strictObject({ route: Address, selector: Selector });
/** A contract and one function of it. */
export type RouteKey = z.infer<typeof RouteKey>;

export interface Lists {
  readonly routes: readonly RouteKey[];
  readonly recipients: readonly string[];
}

/** What was named by events up to a block, so that the next look need not begin at the beginning. */
export const Seen = z.strictObject({
  guard: Address,
  manager: Address,
  /** Every event up to this block, inclusive, is in the lists below. */
  upToBlock: z.int().min(0),
  routes: z.array(RouteKey),
  recipients: z.array(Address),
  /** That were given a role. */
  accounts: z.array(Address),
  operations: z.array(Operation),
});
export type Seen = z.infer<typeof Seen>;

const TOLD = [
  ...["RouteSet", "RecipientSet"].map((name) => GUARD_ABI.getEvent(name)!),
  ...["RoleGranted", "OperationScheduled"].map((name) => MANAGER_ABI.getEvent(name)!),
];

/**
 * Collects from the events of guard and manager what was ever listed, granted and scheduled.
 * @param from where to go on: `seen.upToBlock + 1`
 * @param toBlock inclusive
 * @param onPage told how far it got, for people who wait
 * @throws UpstreamUnavailable when the node gives no logs even for a single block
 */
export async function collectSeen(
  provider: JsonRpcProvider,
  seen: Seen,
  toBlock: number,
  onPage: (block: number) => void = () => {},
): Promise<Seen> {
  const routes = new Map(seen.routes.map((key) => [nameOf(key), key]));
  const recipients = new Set(seen.recipients);
  const accounts = new Set(seen.accounts);
  const operations = new Map(seen.operations.map((operation) => [operationId(operation), operation]));
  const filter = { address: [seen.guard, seen.manager], topics: [TOLD.map(({ topicHash }) => topicHash)] };
  for await (const page of logPages(provider, filter, [seen.upToBlock + 1, toBlock], "guard events")) {
    for (const log of page.logs) {
      const event = (log.address === seen.guard ? GUARD_ABI : MANAGER_ABI).parseLog(log);
      if (event?.name === "RouteSet") {
        const key = { route: getAddress(event.args.route), selector: event.args.selector as string };
        routes.set(nameOf(key), key);
      } else if (event?.name === "RecipientSet") recipients.add(getAddress(event.args.recipient));
      else if (event?.name === "RoleGranted") accounts.add(getAddress(event.args.account));
      else if (event?.name === "OperationScheduled")
        operations.set(event.args.operationId, operationIn(event.args.toObject()));
    }
    onPage(page.upToBlock);
  }
  return {
    guard: seen.guard,
    manager: seen.manager,
    upToBlock: Math.max(seen.upToBlock, toBlock),
    routes: [...routes.values()],
    recipients: [...recipients],
    accounts: [...accounts],
    operations: [...operations.values()],
  };
}

/**
 * Of these candidates, those that the guard allows at a block. Sorted, so that two readings can be compared.
 * @throws UpstreamUnavailable
 */
export async function confirmLists(
  provider: JsonRpcProvider,
  guard: string,
  candidates: Lists,
  blockTag: number,
): Promise<Lists> {
  const contract = guardAt(guard, provider);
  const routes = new Map(candidates.routes.map((key) => [nameOf(key), key]));
  const recipients = [...new Set(candidates.recipients)];
  const [routeAnswers, recipientAnswers] = await upstream("guard allowlists", () =>
    Promise.all([
      Promise.all(
        [...routes.values()].map(({ route, selector }) =>
          contract.isRouteAllowed(route, selector, { blockTag }),
        ),
      ),
      Promise.all(recipients.map((recipient) => contract.isRecipientAllowed(recipient, { blockTag }))),
    ]),
  );
  return {
    routes: [...routes.values()].filter((_, index) => routeAnswers[index]).sort(byName),
    recipients: recipients.filter((_, index) => recipientAnswers[index]).sort(),
  };
}

/** One text for a pair, to compare by. */
export function nameOf({ route, selector }: RouteKey): string {
  return `${route} ${selector}`;
}

function byName(a: RouteKey, b: RouteKey): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}
