/** What a wallet is asked to sign (x402 extension `sign-in-with-x`), and the 402 of what opens in no other way. */
import { encodePaymentRequiredHeader } from "@x402/core/http";
import { z } from "zod";
import { Problem } from "../../http/problems.ts";
import { resourceUrl, SIGN_IN_SECONDS, SIGN_IN_STATEMENT } from "./message.ts";
import { SIGN_IN_REFUSALS, type SignInRefusal } from "./refusals.ts";

export const SIGN_IN_WITH_X = "sign-in-with-x";

const NONCE_BYTES = 16;

export interface DeclareDeps {
  /** Where buyers reach the service, without a slash at its end; never taken from a request. */
  readonly publicUrl: () => string;
  /** CAIP-2 names of the chains that are paid on. */
  readonly networks: readonly string[];
  readonly random: (bytes: number) => Uint8Array;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

const Declaration = z.object({
  info: z.object({
    domain: z.string(),
    uri: z.string(),
    version: z.literal("1"),
    statement: z.string(),
    nonce: z.string(),
    issuedAt: z.string(),
    expirationTime: z.string(),
  }),
  supportedChains: z.array(z.object({ chainId: z.string(), type: z.literal("eip191") })),
  schema: z.record(z.string(), z.unknown()),
});
type Declaration = z.infer<typeof Declaration>;

/** The members of a `sign_in_required` problem beside the common ones, as in the header PAYMENT-REQUIRED. */
export const SignInRequired = z
  .object({
    x402Version: z.literal(2).describe("Version of the x402 protocol"),
    resource: z.object({ url: z.string(), description: z.string(), mimeType: z.string() }),
    accepts: z.array(z.never()).max(0).describe("Nothing is to be paid"),
    extensions: z.object({ [SIGN_IN_WITH_X]: Declaration }),
  })
  .meta({ id: "SignInRequired" });

/** The member of an `invalid_sign_in` problem beside the common ones; of a 402, too, to which a sign-in led. */
export const SignInError = z.enum(Object.keys(SIGN_IN_REFUSALS) as [SignInRefusal, ...SignInRefusal[]]);

/** @param path of the request that the sign-in is for */
export function declareSignIn(deps: DeclareDeps, path: string): Record<typeof SIGN_IN_WITH_X, Declaration> {
  const now = deps.clock();
  const publicUrl = deps.publicUrl();
  return {
    [SIGN_IN_WITH_X]: {
      info: {
        domain: new URL(publicUrl).host,
        uri: resourceUrl({ publicUrl, path }),
        version: "1",
        statement: SIGN_IN_STATEMENT,
        nonce: Buffer.from(deps.random(NONCE_BYTES)).toString("hex"),
        issuedAt: new Date(now).toISOString(),
        expirationTime: new Date(now + SIGN_IN_SECONDS * 1_000).toISOString(),
      },
      supportedChains: deps.networks.map((chainId) => ({ chainId, type: "eip191" })),
      // Short, as it travels in a header.
      schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        required: "domain address uri version chainId type nonce issuedAt signature".split(" "),
      },
    },
  };
}

/** 402 as x402 has it for what costs nothing and is for signed-in wallets alone: official clients sign and ask again. */
export function signInRequired(deps: DeclareDeps, path: string, description: string): Problem {
  const resource = {
    url: resourceUrl({ publicUrl: deps.publicUrl(), path }),
    description,
    mimeType: "application/json",
  };
  const extensions = declareSignIn(deps, path);
  const header = encodePaymentRequiredHeader({
    x402Version: 2,
    error: "sign_in_required",
    resource,
    accepts: [],
    extensions,
  });
  return new Problem(
    "sign_in_required",
    "Sign the message that `extensions` describes with the wallet that paid, and send the same request again with the header SIGN-IN-WITH-X.",
    {
      headers: { "PAYMENT-REQUIRED": header },
      members: { x402Version: 2, resource, accepts: [], extensions },
    },
  );
}
