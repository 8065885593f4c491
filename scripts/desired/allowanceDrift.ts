/** Allowances of the executor in words, and which of them are wrong for sure. */
import type { Allowance } from "../../chain/guard/allowances.ts";
import type { Drift } from "./drift.ts";

/** Names the token; null: nobody here knows it. */
export type NameToken = (token: string) => string | null;

/**
 * Of tokens that are known here. Anybody can make a contract that claims to be approved by the executor, so that what an
 * unknown one says is shown and not called wrong.
 */
export function allowanceDrift(allowances: readonly Allowance[], nameToken: NameToken): Drift[] {
  return allowances
    .filter(({ token }) => nameToken(token) !== null)
    .map(({ token, spender, units }) => ({
      what: `allowance of the executor: ${nameToken(token)}, ${token}`,
      isNow: `${spender} may take ${units} raw units`,
      shouldBe: `nothing: send the executor clearAllowance(${token}, ${spender}) from any account`,
    }));
}

/** Those of tokens that nobody here knows. */
export function unknownAllowances(allowances: readonly Allowance[], nameToken: NameToken): string[] {
  return allowances
    .filter(({ token }) => nameToken(token) === null)
    .map(
      ({ token, spender, units }) => `    ${token}, not known here, says that ${spender} may take ${units}`,
    );
}
