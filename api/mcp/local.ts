/** The tools' backend in the process of the API itself: the functions that the HTTP routes call, for one caller. */
import type { Registry } from "../../attestor/registry.ts";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import {
  assetsAnswer,
  newJob,
  type OperationDeps,
  policiesAnswer,
  prepareJob,
  purchaseJob,
  readJob,
  readReport,
  recordTransaction,
} from "../jobs/operations.ts";
import type { WebAssets } from "../pages/assets.ts";
import type { Backend } from "./backend.ts";
import { termsOf } from "./failure.ts";
import { PaymentRequired, type Purchase } from "./schemas.ts";

export interface LocalBackendDeps {
  readonly jobs: OperationDeps;
  readonly registry: Registry;
  /** Makes the OpenAPI document as JSON text; asked once. */
  readonly openapi: () => string;
  readonly webAssets: Pick<WebAssets, "single">;
}

export function createLocalBackends(deps: LocalBackendDeps): (caller: Caller) => Backend {
  const { jobs } = deps;
  const assets = assetsAnswer(deps.registry);
  const policies = policiesAnswer();
  let openapi: string | undefined;

  return (caller) => ({
    listSupportedAssets: async () => assets,
    listPolicies: async () => policies,
    prepareVerification: async (body) => (await newJob(jobs, caller, body)).job,
    purchaseVerification: (jobId, signature) => purchase(jobs, caller, jobId, signature),
    async getVerification(jobId, version) {
      const job = await readJob(jobs, caller, jobId);
      if (version === undefined) return job;
      const { execution, ...report } = await readReport(jobs, caller, jobId, version);
      return { ...job, report, ...(execution === undefined ? {} : { execution }) };
    },
    prepareGuardTrade: (jobId, deadlineSeconds) => prepareJob(jobs, caller, jobId, deadlineSeconds),
    async submitTransaction(jobId, transactionHash) {
      await recordTransaction(jobs, caller, jobId, transactionHash);
    },
    async openapi() {
      openapi ??= deps.openapi();
      return openapi;
    },
    reportView: async () => deps.webAssets.single("mcpApp.html")?.text ?? null,
  });
}

/** Who only asks gets the terms, or the state of a payment that is under way, as an answer and not as a failure. */
async function purchase(
  jobs: OperationDeps,
  caller: Caller,
  jobId: string,
  signature: string | undefined,
): Promise<Purchase> {
  const outcome = await purchaseJob(jobs, caller, jobId, signature).then(
    ({ receipt }) => ({ receipt, paymentRequired: null }),
    (error: unknown) => {
      if (signature !== undefined || !(error instanceof Problem)) throw error;
      if (error.code === "payment_in_progress") return { receipt: null, paymentRequired: null };
      if (error.code === "payment_required")
        return { receipt: null, paymentRequired: PaymentRequired.parse(termsOf(error)) };
      throw error;
    },
  );
  const { payment, entitlement } = await readJob(jobs, caller, jobId);
  const { receipt, paymentRequired } = outcome;
  return {
    jobId,
    payment,
    entitlement,
    paymentRequired,
    settlement: receipt === null ? null : { success: true, ...receipt },
  };
}
