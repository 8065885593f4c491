/** From what is asked to what has to be sent, and by whom. */
import type { SafeTransaction } from "../../attestor/evm/safeFile.ts";
import type { MandateName } from "../../attestor/intent.ts";
import {
  newSafeOf,
  ownerCall,
  type PlainCall,
  revokeCall,
  type SafeCall,
  safeGrant,
} from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import { grantTransactions, revokeTransaction } from "../../attestor/mandates/safeTransactions.ts";
import { filled } from "../../attestor/view/language.ts";
import type { Asked } from "./fields.ts";
import { type Connected, type SafeState, type Standing, safeState, type Terms } from "./onChain.ts";
import { mandateLines } from "./Parts.tsx";
import { SignFault, signWords } from "./words.ts";

/** Either the call of the connected account, or what the owners of a Safe sign elsewhere. */
export interface Plan extends MandateName {
  readonly by: Connected;
  /** What the chain is to hold then. */
  readonly wanted: Mandate | null;
  readonly lines: readonly string[];
  readonly call: PlainCall | null;
  readonly transactions: readonly SafeTransaction[];
  readonly fileName: string;
}

/** @param saltNonce of a new Safe @throws SignFault */
export async function planGrant(
  by: Connected,
  terms: Terms,
  { safe, agent, mandate }: Asked,
  saltNonce: string,
): Promise<Plan> {
  const words = signWords();
  const { wallet, account } = by;
  const lines = mandateLines(terms, agent, mandate);
  const plan = { by, agent, wanted: mandate, transactions: [], fileName: "grant-mandate" };
  if (safe === null) {
    if (agent === account) throw new SignFault("agentOwns");
    const owners = [account];
    const made = newSafeOf({ contracts: terms, owners, threshold: 1, agent, mandate, saltNonce });
    const first = filled(words.newSafe, { safe: made.safe, owner: account });
    return { ...plan, ...made, lines: [first, ...lines] };
  }
  const state = await safeState(wallet, terms, safe);
  if (agent === safe || state.owners.includes(agent)) throw new SignFault("agentOwns");
  const { enabled } = state;
  const granted = { safe, agent, mandate, enabled };
  const transactions = grantTransactions(terms.module, granted);
  const first = filled(enabled ? words.ownSafe : words.enables, { safe });
  const call = callOfOwner(safe, account, state, safeGrant(terms.module, granted));
  return { ...plan, lines: [first, ...lines], safe, call, transactions };
}

/** @throws SignFault */
export async function planRevoke(
  by: Connected,
  terms: Terms,
  { safe, agent, mandate }: Standing,
): Promise<Plan> {
  const { wallet, account } = by;
  const { module } = terms;
  const revoke = revokeCall(module, safe, agent);
  const lines = [filled(signWords().revokes, { safe, agent })];
  const transactions = [revokeTransaction(module, safe, agent)];
  const plan = { by, safe, agent, wanted: null, lines, transactions, fileName: "revoke-mandate" };
  if (account === mandate?.revoker) return { ...plan, call: revoke };
  const state = await safeState(wallet, terms, safe);
  return { ...plan, call: callOfOwner(safe, account, state, { ...revoke, operation: 0 }) };
}

/** @returns null where several owners have to sign @throws SignFault `notOwner` */
function callOfOwner(safe: string, account: string, { owners, threshold }: SafeState, call: SafeCall) {
  if (!owners.includes(account)) throw new SignFault("notOwner", { account, safe });
  return threshold === 1n ? ownerCall(safe, account, call) : null;
}
