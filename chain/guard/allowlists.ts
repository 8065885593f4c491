/**
 * The guard's two allowlists. The contract cannot enumerate them, so every pair and address that an event ever named
 * is collected and then asked about: the view decides, the events only say what to ask.
 */
import { getAddress, type JsonRpcProvider } from "ethers";
import { z } from "zod";
import { Address, Selector } from "../../attestor/values/primitives.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { upstream } from "../rpc.ts";
import { GUARD_ABI } from "./events.ts";
import { logPages } from "./logs.ts";

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
  /** Every event up to this block, inclusive, is in the lists below. */
  upToBlock: z.int().min(0),
  routes: z.array(RouteKey),
  recipients: z.array(Address),
});
export type Seen = z.infer<typeof Seen>;

/**
 * Collects from events what was ever listed.
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
  const topics = [[GUARD_ABI.getEvent("RouteSet")!.topicHash, GUARD_ABI.getEvent("RecipientSet")!.topicHash]];
  const filter = { address: seen.guard, topics };
  for await (const page of logPages(provider, filter, [seen.upToBlock + 1, toBlock], "guard events")) {
    for (const log of page.logs) {
      const event = GUARD_ABI.parseLog(log);
      if (event?.name === "RouteSet") {
        const key = { route: getAddress(event.args.route), selector: event.args.selector as string };
        routes.set(nameOf(key), key);
      } else if (event?.name === "RecipientSet") recipients.add(getAddress(event.args.recipient));
    }
    onPage(page.upToBlock);
  }
  return {
    guard: seen.guard,
    upToBlock: Math.max(seen.upToBlock, toBlock),
    routes: [...routes.values()],
    recipients: [...recipients],
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
  const contract = TradeGuard__factory.connect(guard, provider);
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
