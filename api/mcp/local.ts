/** The tools' backend in the process of the API itself: the functions that the HTTP routes call, for one caller. */
import type { Registry } from "../../attestor/registry.ts";
import { type DailyCap, type Limits, takeOfAddress } from "../http/limits.ts";
import { Problem } from "../http/problems.ts";
import type { Caller } from "../http/route.ts";
import { hintsOf } from "../jobs/hints.ts";
import { verifyOnce } from "../jobs/oneShot.ts";
import {
  assetsAnswer,
  newJob,
  type OperationDeps,
  policiesAnswer,
  purchaseJob,
  readJob,
  recordTransaction,
  sellPrepared,
  sellReport,
} from "../jobs/operations.ts";
import type { StoredReport, VerifyBody } from "../jobs/schemas.ts";
import { type Receipt, withReceipt } from "../payments/receipt.ts";
import type { Backend, Purchase, TradeDocument } from "./backend.ts";
import type { Settlement } from "./schemas.ts";

export interface LocalBackendDeps {
  readonly jobs: OperationDeps;
  readonly registry: Registry;
  readonly limits: Limits;
  /** What an address may have of reports that nobody pays for. */
  readonly oneShots: DailyCap;
  readonly settings: { readonly addressLimitPerMinute: number };
  /** Makes the OpenAPI document as JSON text; asked once. */
  readonly openapi: () => string;
}

/** @returns makes the backend of who calls, from which address */
export function createLocalBackends(deps: LocalBackendDeps): (caller: Caller, address: string) => Backend {
  const { jobs } = deps;
  const assets = assetsAnswer(deps.registry);
  const policies = policiesAnswer();
  let openapi: string | undefined;

  return (caller, address) => {
    /** Without key or token there is no job. */
    const holder = (): Caller => {
      if (caller.kind === "public") throw needsKey();
      return caller;
    };
    return {
      charges: Boolean(jobs.payments),
      listSupportedAssets: async () => assets,
      listPolicies: async () => policies,
      prepareVerification: async (body) => (await newJob(jobs, holder(), body)).job,
      verifyOnce: (body, payment) => verify(deps, address, body, payment),
      readJob: async (jobId) => readJob(jobs, holder(), jobId),
      purchaseVerification: async (jobId, payment) => purchase(jobs, holder(), jobId, payment),
      getVerification: async (jobId, version) => look(jobs, holder(), jobId, version),
      async readDocument(jobId, version) {
        const { content, receipt } = await sellReport(jobs, holder(), jobId, version, undefined);
        return { content: documentOf(jobId, content), settlement: settlementOf(receipt) };
      },
      async prepareGuardTrade(jobId, deadlineSeconds, payment) {
        const { content, receipt } = await sellPrepared(jobs, holder(), jobId, deadlineSeconds, payment);
        return { content, settlement: settlementOf(receipt) };
      },
      async submitTransaction(jobId, transactionHash) {
        await recordTransaction(jobs, holder(), jobId, transactionHash);
      },
      async openapi() {
        openapi ??= deps.openapi();
        return openapi;
      },
    };
  };
}

const needsKey = () =>
  new Problem("missing_api_key", "This needs the jobToken of the job, or an API key of the host.");

const settlementOf = (receipt: Receipt | null): Settlement | null =>
  receipt === null ? null : { success: true, ...receipt };

/** POST /a2mcp/verify, with the limits of that route: what an address may have, it has once. */
async function verify(
  { jobs, limits, oneShots, settings }: LocalBackendDeps,
  address: string,
  body: VerifyBody,
  payment: string | undefined,
) {
  await takeOfAddress(limits, "a2mcp", address, settings.addressLimitPerMinute);
  if (!jobs.payments) await oneShots.take(address);
  const { report, jobToken, receipt, replayed } = await verifyOnce(jobs, body, payment);
  const { jobId } = report;
  const job = await withReceipt(receipt, () => readJob(jobs, { kind: "jobToken", jobId }, jobId));
  const hints = hintsOf(jobs, report);
  return { content: { ...job, report, hints, jobToken }, settlement: settlementOf(receipt), replayed };
}

/** Without a payment, the answer is the state of a pending payment instead of a failure. */
async function purchase(
  jobs: OperationDeps,
  caller: Caller,
  jobId: string,
  payment: string | undefined,
): Promise<Purchase> {
  const receipt = await purchaseJob(jobs, caller, jobId, payment).then(
    (bought) => bought.receipt,
    (error: unknown) => {
      if (payment === undefined && isCode(error, "payment_in_progress")) return null;
      throw error;
    },
  );
  const job = await withReceipt(receipt, () => readJob(jobs, caller, jobId));
  return { job, settlement: settlementOf(receipt) };
}

async function look(jobs: OperationDeps, caller: Caller, jobId: string, version?: number) {
  const job = await readJob(jobs, caller, jobId);
  if (version === undefined || !job.entitlement.granted) return job;
  const { content } = await sellReport(jobs, caller, jobId, version, undefined);
  const { execution: _, hints, ...report } = content;
  return { ...job, report, hints };
}

function documentOf(jobId: string, { execution, hints: _, ...report }: StoredReport): TradeDocument {
  return { jobId, reportVersion: report.version, report, execution: execution ?? null };
}

const isCode = (error: unknown, code: Problem["code"]): boolean =>
  error instanceof Problem && error.code === code;
