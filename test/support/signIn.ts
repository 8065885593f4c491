/** Signing in as a payer: the official client's hook, and messages made by hand that say what a test wants. */
import { createSIWxClientExtension, createSIWxMessage } from "@x402/extensions/sign-in-with-x";
import { wrapFetchWithPayment, x402HTTPClient } from "@x402/fetch";
import type { Wallet } from "ethers";
import type { Answer } from "./http.ts";
import type { Buyer } from "./payments.ts";
import type { Service } from "./service.ts";
import { encodeHeader, termsIn } from "./x402.ts";

/** The signer; a contract wallet has another address than its key. */
export type SigningWallet = Pick<Wallet, "address" | "signMessage">;

/** What the official library wants of a wallet. */
const siwxSigner = (wallet: SigningWallet) => ({
  address: wallet.address,
  signMessage: ({ message }: { message: string }) => wallet.signMessage(message),
});

/** `fetch` of the official client with its extension: signs in where that is asked, and pays otherwise. */
export function signingInFetch({ client, wallet }: Buyer): typeof fetch {
  client.registerExtension(createSIWxClientExtension({ signers: [siwxSigner(wallet)] }) as never);
  return wrapFetchWithPayment(fetch, new x402HTTPClient(client) as never) as typeof fetch;
}

export interface SignInChanges {
  /** Over what the service asked to sign. */
  readonly said?: Record<string, unknown>;
  /** Over what was signed, afterwards. */
  readonly sent?: Record<string, unknown>;
}

/** The header SIGN-IN-WITH-X for a 402, signed by a wallet. */
export async function signInFor(
  challenge: Answer,
  wallet: SigningWallet,
  { said = {}, sent = {} }: SignInChanges = {},
): Promise<string> {
  const declared = termsIn(challenge).extensions["sign-in-with-x"];
  const info = { ...declared.info, ...declared.supportedChains[0], ...said };
  const { address } = wallet;
  const signature = await wallet.signMessage(createSIWxMessage(info, address));
  return encodeHeader({ ...info, address, signature, ...sent });
}

/** A request that signs in, without a key. */
export async function signedIn(
  service: Service,
  wallet: SigningWallet,
  path: string,
  changes: SignInChanges = {},
): Promise<Answer> {
  const header = await signInFor(await challengeOf(service), wallet, {
    ...changes,
    said: { uri: `${await publicUrlOf(service)}${path}`, ...changes.said },
  });
  return withSignIn(service, path, header);
}

/** Where the service says that it is. */
async function publicUrlOf(service: Service): Promise<string> {
  const { body } = await challengeOf(service);
  return body.resource.url.slice(0, -"/a2mcp/purchases".length);
}

/** The challenge of what opens by a sign-in alone. */
export const challengeOf = (service: Service, path = "/a2mcp/purchases"): Promise<Answer> =>
  service.call(path, { key: null });

export function withSignIn(service: Service, path: string, header: string, init: RequestInit = {}) {
  const headers = { ...(init.headers as Record<string, string>), "sign-in-with-x": header };
  return service.call(path, { ...init, key: null, headers });
}
