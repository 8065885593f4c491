/** The tools' backend over HTTP: what `api/mcp` asks for, by the calls of a remote service. */
import type { Backend } from "../../api/mcp/backend.ts";
import { ToolFailure } from "../../api/mcp/failure.ts";
import { PaymentRequired as Challenge, type Purchase, Settlement } from "../../api/mcp/schemas.ts";
import { type Client, PaymentRequired, ServiceError } from "../../client/client.ts";

/**
 * @param client with a key of the service
 * @param reportView of this installation, not of the service: a program of somebody else's should not judge its reports
 */
export function createRemoteBackend(client: Client, reportView: () => string | null): Backend {
  async function purchase(jobId: string, paymentSignature: string | undefined): Promise<Purchase> {
    if (paymentSignature !== undefined) {
      const { receipt } = await client.report(jobId, { paymentSignature });
      const { payment, entitlement } = await client.job(jobId);
      return {
        jobId,
        payment,
        entitlement,
        paymentRequired: null,
        settlement: Settlement.nullable().parse(receipt),
      };
    }
    const { payment, entitlement } = await client.job(jobId);
    const state = { jobId, payment, entitlement, paymentRequired: null, settlement: null };
    if (payment.state === "settled")
      return { ...state, settlement: Settlement.nullable().parse((await client.report(jobId)).receipt) };
    if (payment.state !== "required") return state;
    const challenge = await challengeFor(jobId);
    // Paid for in between: then the job says so.
    return challenge === null ? purchase(jobId, undefined) : { ...state, paymentRequired: challenge };
  }

  async function challengeFor(jobId: string): Promise<Challenge | null> {
    try {
      await client.report(jobId);
      return null;
    } catch (error) {
      if (error instanceof PaymentRequired) return Challenge.parse(error.challenge);
      if (error instanceof ServiceError && error.code === "payment_in_progress") return null;
      throw error;
    }
  }

  return {
    listSupportedAssets: () => told(client.assets()),
    listPolicies: () => told(client.policies()),
    prepareVerification: (body) => told(client.createJob(body)),
    purchaseVerification: (jobId, paymentSignature) => told(purchase(jobId, paymentSignature)),
    async getVerification(jobId, version) {
      const job = await told(client.job(jobId));
      if (version === undefined) return job;
      const { report, execution } = await told(client.report(jobId, { version }));
      return { ...job, report, ...(execution === undefined ? {} : { execution }) };
    },
    prepareGuardTrade: async (jobId, deadlineSeconds) =>
      (await told(client.prepare(jobId, { deadlineSeconds }))).prepared,
    async submitTransaction(jobId, transactionHash) {
      await told(client.submit(jobId, transactionHash));
    },
    openapi: async () => JSON.stringify(await told(client.openapi())),
    reportView: async () => reportView(),
  };
}

/** What the service refused is the tool's caller's to know, in the service's own words. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, detail, errors, retryAfterSeconds, requestId } = error;
    throw new ToolFailure({
      code,
      detail,
      ...(errors.length > 0 ? { errors } : {}),
      retryAfterSeconds,
      members: {
        ...error.members,
        ...(requestId === null ? {} : { requestId }),
        ...(error instanceof PaymentRequired ? { paymentRequired: error.challenge } : {}),
      },
    });
  }
}
