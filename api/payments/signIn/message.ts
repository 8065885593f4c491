/**
 * From the header SIGN-IN-WITH-X (x402 extension `sign-in-with-x`) to a message whose every member is what this service
 * asked a wallet to sign, for one resource and now. Whose signature it is, `../signature.ts` finds out.
 */
import type { createSIWxMessage } from "@x402/extensions/sign-in-with-x";
import { z } from "zod";
import { Address, Text } from "../../../attestor/values/primitives.ts";
import { headerJson } from "../payload.ts";
import { SignInRefused } from "./refusals.ts";

/** For so long after it was issued a message is taken. */
export const SIGN_IN_SECONDS = 300;
/** The clocks of two processes of this service may differ by so much. */
const SKEW_SECONDS = 10;

export const SIGN_IN_STATEMENT =
  "Sign in to Assay to open the reports that this wallet has paid for. This is no payment and moves nothing.";

/** One line of the message: what breaks it could make one text of two messages. */
const Uri = z
  .string()
  .max(2_048)
  .regex(/^[\x21-\x7e]+$/);
const Time = z.iso.datetime({ offset: true }).max(40);

const Payload = z.strictObject({
  domain: Text.max(300),
  address: Address,
  statement: Text.max(300).optional(),
  uri: Uri,
  version: z.literal("1"),
  chainId: Text.max(100),
  type: Text.max(20),
  nonce: z.string().regex(/^[A-Za-z0-9]{16,128}$/),
  issuedAt: Time,
  expirationTime: Time.optional(),
  notBefore: Time.optional(),
  requestId: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,200}$/)
    .optional(),
  resources: z.array(Uri).max(4).optional(),
  /** A hint; how it was signed shows. */
  signatureScheme: Text.max(20).optional(),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,4000}$/),
});
type Payload = z.infer<typeof Payload>;

/** What a sign-in must be for. */
export interface Expected {
  /** Where buyers reach the service, without a slash at its end; never taken from a request. */
  readonly publicUrl: string;
  /** Path of the request, below the public URL. */
  readonly path: string;
  /** CAIP-2 names of the chains that are paid on. */
  readonly networks: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** A message that says the right things; nobody knows yet who signed it. */
export type SignInMessage = Awaited<ReturnType<typeof readSignIn>>;

/** @param header as it came @throws SignInRefused with everything but `wrong_signature` and `nonce_used` */
export async function readSignIn(header: string, expected: Expected) {
  const payload = decode(header);
  if (payload.type !== "eip191" || !expected.networks.includes(payload.chainId))
    throw new SignInRefused("unsupported");
  assertFor(payload, expected);
  assertNow(payload, expected.now / 1_000);
  return {
    /** EIP-55, as claimed. */
    address: payload.address,
    /** CAIP-2. */
    network: payload.chainId,
    nonce: payload.nonce,
    /** What the wallet signed, EIP-4361. */
    text: await textOf(payload),
    signature: payload.signature,
    /** Unix seconds from which on it is refused for its age. */
    expiresAt: Math.ceil(Date.parse(payload.issuedAt) / 1_000) + SIGN_IN_SECONDS + SKEW_SECONDS,
  };
}

/** The URL that a message for a path names. */
export const resourceUrl = ({ publicUrl, path }: Pick<Expected, "publicUrl" | "path">): string =>
  `${publicUrl}${path}`;

function assertFor({ domain, uri, statement, resources = [] }: Payload, expected: Expected): void {
  if (domain !== new URL(expected.publicUrl).host) throw new SignInRefused("other_domain");
  const wanted = new URL(resourceUrl(expected)).href;
  const isWanted = (text: string) => {
    const url = URL.parse(text);
    if (url === null || url.hash !== "" || url.username !== "" || url.password !== "") return false;
    url.search = "";
    return url.href === wanted;
  };
  if (!isWanted(uri) || !resources.every(isWanted)) throw new SignInRefused("other_resource");
  if (statement !== SIGN_IN_STATEMENT) throw new SignInRefused("other_statement");
}

/** @param now unix seconds */
function assertNow({ issuedAt, expirationTime, notBefore }: Payload, now: number): void {
  const at = (text: string) => Date.parse(text) / 1_000;
  if (at(issuedAt) > now + SKEW_SECONDS) throw new SignInRefused("not_yet_valid");
  if (notBefore !== undefined && at(notBefore) > now) throw new SignInRefused("not_yet_valid");
  if (at(issuedAt) + SIGN_IN_SECONDS <= now) throw new SignInRefused("expired");
  if (expirationTime !== undefined && at(expirationTime) <= now) throw new SignInRefused("expired");
}

async function textOf({ signature: _, signatureScheme: __, address, ...said }: Payload): Promise<string> {
  // Loaded with the first sign-in: it has 500 modules, a fifth of what a start would read.
  const { createSIWxMessage } = await import("@x402/extensions/sign-in-with-x");
  try {
    return createSIWxMessage(said as Parameters<typeof createSIWxMessage>[0], address);
  } catch {
    throw new SignInRefused("malformed");
  }
}

function decode(header: string): Payload {
  const parsed = Payload.safeParse(headerJson(header));
  if (!parsed.success) throw new SignInRefused("malformed");
  return parsed.data;
}
