/** From what is asked to what has to be sent, and by whom. */
import {
  type MandateContracts,
  newSafeOf,
  ownerCall,
  revokeCall,
  type SafeCall,
  safeGrant,
} from "../../attestor/mandates/calls.ts";
import { grantTransactions, revokeTransaction } from "../../attestor/mandates/safeTransactions.ts";
import { filled } from "../../attestor/view/language.ts";
import type { Asked } from "./fields.ts";
import { type Connected, type SafeState, type Standing, safeState, type Terms } from "./onChain.ts";
import { mandateLines, signWords } from "./Parts.tsx";
import type { Plan } from "./Review.tsx";
import { SignFault } from "./signFault.ts";

/** @param saltNonce of a new Safe @throws SignFault */
export async function planGrant(
  { wallet, account }: Connected,
  terms: Terms,
  { safe, agent, mandate }: Asked,
  saltNonce: string,
): Promise<Plan> {
  const words = signWords();
  const lines = mandateLines(terms, agent, mandate);
  const fileName = "grant-mandate";
  if (safe === null) {
    if (agent === account) throw new SignFault("agentOwns");
    const contracts: MandateContracts = terms;
    const owners = [account];
    const made = newSafeOf({ contracts, owners, threshold: 1, agent, mandate, saltNonce });
    const first = filled(words.newSafe, { safe: made.safe, owner: account });
    return { lines: [first, ...lines], safe: made.safe, call: made.call, transactions: [], fileName };
  }
  const state = await safeState(wallet, terms, safe);
  if (agent === safe || state.owners.includes(agent)) throw new SignFault("agentOwns");
  const { enabled } = state;
  const granted = { safe, agent, mandate, enabled };
  const transactions = grantTransactions(terms.module, granted);
  const first = filled(enabled ? words.ownSafe : words.enables, { safe });
  const call = callOfOwner(safe, account, state, safeGrant(terms.module, granted));
  return { lines: [first, ...lines], safe, call, transactions, fileName };
}

/** @throws SignFault */
export async function planRevoke(
  { wallet, account }: Connected,
  terms: Terms,
  { safe, agent, mandate }: Standing,
): Promise<Plan> {
  const { module } = terms;
  const revoke = revokeCall(module, safe, agent);
  const lines = [filled(signWords().revokes, { safe, agent })];
  const transactions = [revokeTransaction(module, safe, agent)];
  const plan = { lines, safe, transactions, fileName: "revoke-mandate" };
  if (account === mandate?.revoker) return { ...plan, call: revoke };
  const state = await safeState(wallet, terms, safe);
  return { ...plan, call: callOfOwner(safe, account, state, { ...revoke, operation: 0 }) };
}

/** @returns null where several owners have to sign @throws SignFault `notOwner` */
function callOfOwner(safe: string, account: string, { owners, threshold }: SafeState, call: SafeCall) {
  if (!owners.includes(account)) throw new SignFault("notOwner", { account, safe });
  return threshold === 1n ? ownerCall(safe, account, call) : null;
}
