/** The calls that need no job of one's own: verification in one shot, and the application for a key. */
import type { z } from "zod";
import { InputDescription } from "../api/jobs/catalog.ts";
import { type VerifyBody, VerifyReport } from "../api/jobs/schemas.ts";
import { type KeyApplication, NewKey } from "../api/keys/schemas.ts";
import { ServiceError } from "./clientErrors.ts";
import { type BoughtReport, documentOf } from "./document.ts";
import type { Payable } from "./payment.ts";
import type { Transport } from "./transport.ts";

/** `jobToken` opens the job's calls. */
export type VerifiedReport = BoughtReport & { readonly jobToken: string };
export type VerifyInput = z.infer<typeof VerifyExample>;

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

/** The service tells it to an empty body: in the free phase as its answer, in the paid one as a refusal. */
export async function readVerifyInput(send: Transport): Promise<VerifyInput> {
  const call = { method: "POST", path: VERIFY_PATH, auth: "none", repeatable: "always" } as const;
  try {
    return (await send({ ...call, answer: VerifyExample })).value;
  } catch (error) {
    const told = error instanceof ServiceError && error.code === "input_required";
    const parsed = VerifyExample.safeParse(told ? error.members : undefined);
    if (!parsed.success) throw error;
    return parsed.data;
  }
}

export async function applyForKey(send: Transport, body: z.input<typeof KeyApplication>): Promise<NewKey> {
  const call = { method: "POST", path: "/api/v1/keys", auth: "none", repeatable: "refused" } as const;
  return (await send({ ...call, body, answer: NewKey })).value;
}
