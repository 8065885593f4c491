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
type PurchasesOptions = SignedIn & { readonly after?: string };

const PATH = "/a2mcp/purchases";

export type PurchaseCalls = ReturnType<typeof purchaseCalls>;

export function purchaseCalls(send: Transport) {
  return {
    /**
     * What the wallet that signs in has bought, the latest first. The wallet signs what the error's `members.extensions`
     * describe, or a `fetch` that signs in (`createSIWxClientExtension` of @x402/extensions) makes that invisible.
     * @throws ServiceError `sign_in_required` without a sign-in, `invalid_sign_in`
     */
    async purchases({ after, signIn }: PurchasesOptions = {}): Promise<Purchases> {
      const call = { method: "GET", path: PATH, query: { after }, answer: Purchases, auth: "none" } as const;
      return (await send({ ...call, repeatable: repeatable(signIn), signIn })).value;
    },
    /**
     * One of them: its latest report, and a new `jobToken` as long as the job lives.
     * @throws as `purchases`; ServiceError `not_found` for what the wallet has not bought
     */
    async openPurchase(jobId: string, { signIn }: SignedIn = {}): Promise<OpenedPurchase & Bought> {
      const path = `${PATH}/${encodeURIComponent(jobId)}`;
      const call = { method: "GET", path, answer: OpenedPurchase, auth: "none" } as const;
      const { value, receipt } = await send({ ...call, repeatable: repeatable(signIn), signIn });
      return { ...value, receipt };
    },
  };
}

/** A signature whose answer was lost may be used up. */
const repeatable = (signIn: unknown) => (signIn === undefined ? "always" : "refused");
