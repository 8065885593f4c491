/** What the clients find in the local world, and the trade that they send to it. */
import { type Provider, type TransactionResponse, Wallet } from "ethers";
import { createCalendar } from "../../../attestor/calendar.ts";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import { localAccounts } from "../../../devnet/accounts.ts";

/** From the strictest on. */
const BY_STRICTNESS = ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"];

/** @returns the strictest policy that lets a trade through at that hour of the week. @param now unix seconds */
export function policyAt(now: number): string {
  const { state } = createCalendar().sessionAt(now);
  const isOpen = (id: string) =>
    POLICIES.get(id)?.definition.allowedSessions.some((allowed) => allowed === state) ?? false;
  return BY_STRICTNESS.find(isOpen) ?? "LAST_CLOSE";
}

/** By the first user's account, whose trades they all are. @param execution as prepare-execution gave it */
export async function sendTrade(
  provider: Provider,
  // biome-ignore lint/suspicious/noExplicitAny: as the service shows it
  { approval, guardCall }: any,
): Promise<TransactionResponse> {
  const owner = new Wallet(localAccounts().users[0]!.privateKey, provider);
  for (const { to, data } of approval.calls) await (await owner.sendTransaction({ to, data })).wait();
  return owner.sendTransaction({ to: guardCall.to, data: guardCall.data, gasLimit: 1_000_000 });
}
