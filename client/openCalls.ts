/** The calls that need no job of one's own: verification in one shot, and the application for a key. */
import { z } from "zod";
import { AssetsAnswer, InputDescription, PoliciesAnswer } from "../api/jobs/catalog.ts";
import type { VerifyBody } from "../api/jobs/requests.ts";
import { VerifyReport } from "../api/jobs/schemas.ts";
import { type KeyApplication, NewKey } from "../api/keys/schemas.ts";
import { ServiceError } from "./clientErrors.ts";
import { type BoughtReport, documentOf } from "./document.ts";
import type { Payable } from "./payment.ts";
import type { Get, Transport } from "./transport.ts";

/** `jobToken` opens the job's calls. */
export type VerifiedReport = BoughtReport & { readonly jobToken: string };

export type CatalogCalls = ReturnType<typeof catalogCalls>;

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
const OpenApiDocument = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

export type OpenCalls = ReturnType<typeof openCalls>;

export function openCalls(send: Transport, get: Get) {
  return {
    /**
     * What `verify` takes, in words, as a schema and with an example.
     * @throws PaymentRequired in the paid phase, with the price; `verifyInput` answers in both
     */
    describeVerify: () => get("none", VERIFY_PATH, InputDescription),
    /** JSON Schema and an example of what `verify` takes, in both phases. */
    async verifyInput(): Promise<z.infer<typeof VerifyExample>> {
      const call = { method: "POST", path: VERIFY_PATH, auth: "none", repeatable: "always" } as const;
      // The service returns it for an empty body.
      const answer = await send({ ...call, answer: z.never() }).catch((error: unknown) => error);
      const isExample = answer instanceof ServiceError && answer.code === "input_required";
      const parsed = VerifyExample.safeParse(isExample ? answer.members : undefined);
      if (!parsed.success) throw answer;
      return parsed.data;
    },
    /**
     * One-shot verification without a key; `jobToken` opens the calls of its job.
     * @throws PaymentRequired in the paid phase
     */
    async verify(body: z.input<typeof VerifyBody>, payment: Payable = {}): Promise<VerifiedReport> {
      const { paymentSignature } = payment;
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
      const { jobToken, hints, ...report } = value;
      return { ...documentOf(report, null), hints, jobToken, receipt };
    },
    /** The OpenAPI 3.1 document of both APIs, as plain JSON. */
    openapi: () => get("none", "/openapi.json", OpenApiDocument),
    /** Applies for an API key, which works once an admin has approved it. */
    async applyForKey(application: z.input<typeof KeyApplication>): Promise<NewKey> {
      const call = { method: "POST", path: "/api/v1/keys", auth: "none", repeatable: "refused" } as const;
      return (await send({ ...call, body: application, answer: NewKey })).value;
    },
  };
}
