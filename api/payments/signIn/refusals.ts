/** Why a sign-in is not taken, in our own words. */
import { Problem } from "../../http/problems.ts";

export const SIGN_IN_REFUSALS = {
  malformed:
    "SIGN-IN-WITH-X cannot be read: it is base64 of the JSON of a signed message (EIP-4361), as the challenge describes it.",
  unsupported: "Only wallets of the chains in `supportedChains` can sign in, with the type eip191.",
  other_domain: "The message is for another domain than this service's.",
  other_resource:
    "The message is for another resource: its URI must be the URL of the request, without query.",
  other_statement: "The message does not say what this service asks wallets to sign.",
  expired: "The message was issued more than five minutes ago, or has expired.",
  not_yet_valid: "The message is not valid yet: it was issued in the future, or says so.",
  wrong_signature: "The signature is not the wallet's over this message.",
  nonce_used: "The message was used before: each nonce opens one request.",
} as const;

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
