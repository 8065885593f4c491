/** What a wallet has bought, for that wallet's signature. The client signs nothing: wallets do. */
import { OpenedPurchase, Purchases } from "../api/jobs/schemas.ts";
import type { Bought } from "./payment.ts";
import type { Transport } from "./transport.ts";

/** A message that the wallet has signed for this very call (x402 extension sign-in-with-x); each is taken once. */
export interface SignedIn {
  /** The text of the header SIGN-IN-WITH-X, or the JSON that it encodes. */
  readonly signIn?: string | object;
}

/** `after`: `next` of the page before. */
export type PurchasesOptions = SignedIn & { readonly after?: string };

const PATH = "/a2mcp/purchases";

export async function listPurchases(
  send: Transport,
  { after, signIn }: PurchasesOptions,
): Promise<Purchases> {
  const call = { method: "GET", path: PATH, query: { after }, answer: Purchases, auth: "none" } as const;
  return (await send({ ...call, repeatable: repeatable(signIn), signIn })).value;
}

export async function openPurchase(
  send: Transport,
  jobId: string,
  { signIn }: SignedIn,
): Promise<OpenedPurchase & Bought> {
  const path = `${PATH}/${encodeURIComponent(jobId)}`;
  const call = { method: "GET", path, answer: OpenedPurchase, auth: "none" } as const;
  const { value, receipt } = await send({ ...call, repeatable: repeatable(signIn), signIn });
  return { ...value, receipt };
}

/** A signature whose answer was lost may be used up. */
const repeatable = (signIn: unknown) => (signIn === undefined ? "always" : "refused");
