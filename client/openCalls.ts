/** The calls that need no job of one's own: verification in one shot, and the application for a key. */
import { z } from "zod";
import { AssetsAnswer, InputDescription, PoliciesAnswer } from "../api/jobs/catalog.ts";
import { Quote, type QuoteBody, type VerifyBody, VerifyReport } from "../api/jobs/schemas.ts";
import { type KeyApplication, NewKey } from "../api/keys/schemas.ts";
import { ServiceError } from "./clientErrors.ts";
import { type BoughtReport, documentOf } from "./document.ts";
import type { Payable } from "./payment.ts";
import type { Get, Transport } from "./transport.ts";

/** `jobToken` opens the job's calls. */
export type VerifiedReport = BoughtReport & { readonly jobToken: string };
export type VerifyInput = z.infer<typeof VerifyExample>;

/** What needs no key, and counts for the key where there is one. */
export function catalogCalls(get: Get, hasKey: boolean) {
  const read = <T>(name: string, answer: z.ZodType<T>) =>
    hasKey ? get("key", `/v1/${name}`, answer) : get("none", `/a2mcp/${name}`, answer);
  return {
    /** What can be verified, with version and hash of the registry. */
    assets: () => read("assets", AssetsAnswer),
    /** What a trade can be judged by. */
    policies: () => read("policies", PoliciesAnswer),
  };
}

const VERIFY_PATH = "/a2mcp/verify";
const VerifyExample = InputDescription.omit({ description: true });

export async function verifyTrade(
  send: Transport,
  body: z.input<typeof VerifyBody>,
  { paymentSignature }: Payable,
): Promise<VerifiedReport> {
  const { value, receipt } = await send({
    method: "POST",
    path: VERIFY_PATH,
    body,
    answer: VerifyReport,
    auth: "none",
    // The same payment gets the same report; without one every call makes a job.
    repeatable: paymentSignature === undefined ? "refused" : "always",
    paymentSignature,
  });
  const { jobToken, ...report } = value;
  return { ...documentOf(report, null), jobToken, receipt };
}

/** Makes nothing, so it may be asked again. */
export async function quoteTrade(send: Transport, body: z.input<typeof QuoteBody>): Promise<Quote> {
  const call = { method: "POST", path: "/a2mcp/quote", auth: "none", repeatable: "always" } as const;
  return (await send({ ...call, body, answer: Quote })).value;
}

/** The service returns it for an empty body, in both phases. */
export async function readVerifyInput(send: Transport): Promise<VerifyInput> {
  const call = { method: "POST", path: VERIFY_PATH, auth: "none", repeatable: "always" } as const;
  const answer = await send({ ...call, answer: z.never() }).catch((error: unknown) => error);
  const told = answer instanceof ServiceError && answer.code === "input_required";
  const parsed = VerifyExample.safeParse(told ? answer.members : undefined);
  if (!parsed.success) throw answer;
  return parsed.data;
}

export async function applyForKey(send: Transport, body: z.input<typeof KeyApplication>): Promise<NewKey> {
  const call = { method: "POST", path: "/api/v1/keys", auth: "none", repeatable: "refused" } as const;
  return (await send({ ...call, body, answer: NewKey })).value;
}
