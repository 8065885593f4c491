/** Why a sign-in is not taken, in our own words. */
import { Problem } from "../../http/problems.ts";
import SIGN_IN_REFUSALS from "./refusals.json" with { type: "json" };

export { SIGN_IN_REFUSALS };

/** Stable; stands as `signInError` in the answer. */
export type SignInRefusal = keyof typeof SIGN_IN_REFUSALS;

export class SignInRefused extends Error {
  readonly refusal: SignInRefusal;

  constructor(refusal: SignInRefusal) {
    super(SIGN_IN_REFUSALS[refusal]);
    this.name = "SignInRefused";
    this.refusal = refusal;
  }
}

/** 401, for where nothing but the sign-in could open what was asked for. */
export function invalidSignIn({ refusal }: SignInRefused): Problem {
  return new Problem("invalid_sign_in", SIGN_IN_REFUSALS[refusal], { members: { signInError: refusal } });
}

/** The answer of who did not sign in, with the reason why the sign-in is not taken. */
export function withSignInError(problem: Problem, refusal: SignInRefusal): Problem {
  const { code, message, headers, members } = problem;
  return new Problem(code, message, { headers, members: { ...members, signInError: refusal } });
}
