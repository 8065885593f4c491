/** The tools' backend over HTTP: what `api/mcp` asks for, by the calls of a remote service. */
import type { Backend, Sold } from "../../api/mcp/backend.ts";
import { ToolFailure } from "../../api/mcp/failure.ts";
import { type Purchase, Settlement, type VerifiedJob } from "../../api/mcp/schemas.ts";
import { type Client, PaymentRequired, type Receipt, ServiceError } from "../../client/client.ts";

/**
 * @param client with a key of the service, or the token of a job
 * @param reportView of this installation, not of the service: a program of somebody else's should not judge its reports
 */
export function createRemoteBackend(client: Client, reportView: () => string | null): Backend {
  return {
    listSupportedAssets: () => told(client.assets()),
    listPolicies: () => told(client.policies()),
    prepareVerification: (body) => told(client.createJob(body)),
    readJob: (jobId) => told(client.job(jobId)),
    purchaseVerification: (jobId, payment) => told(purchase(client, jobId, payment)),
    getVerification: (jobId, version, payment) => told(read(client, jobId, version, payment)),
    async prepareGuardTrade(jobId, deadlineSeconds, payment) {
      const { receipt, ...prepared } = await told(
        client.prepare(jobId, { deadlineSeconds, ...paidBy(payment) }),
      );
      return { content: prepared, settlement: settlementOf(receipt) };
    },
    async submitTransaction(jobId, transactionHash) {
      await told(client.submit(jobId, transactionHash));
    },
    openapi: async () => JSON.stringify(await told(client.openapi())),
    reportView: async () => reportView(),
  };
}

const paidBy = (payment: string | undefined) => (payment === undefined ? {} : { paymentSignature: payment });

/** With whatever else the service says of it. */
function settlementOf(receipt: Receipt | null): Settlement | null {
  if (receipt === null) return null;
  const { payer: _, amount: __, ...more } = receipt;
  return { ...more, ...Settlement.parse(receipt) };
}

async function purchase(client: Client, jobId: string, payment: string | undefined): Promise<Purchase> {
  const bought = async () => (await client.report(jobId, paidBy(payment))).receipt;
  const before = payment === undefined ? await client.job(jobId) : null;
  const receipt =
    before === null || before.payment.state === "settled" || before.payment.state === "required"
      ? await bought().catch((error: unknown) => {
          if (payment === undefined && isCode(error, "payment_in_progress")) return null;
          throw error;
        })
      : null;
  const { payment: state, entitlement } = await client.job(jobId);
  return { jobId, payment: state, entitlement, paymentRequired: null, settlement: settlementOf(receipt) };
}

async function read(
  client: Client,
  jobId: string,
  version: number | undefined,
  payment: string | undefined,
): Promise<Sold<VerifiedJob>> {
  if (version === undefined && payment === undefined) return look(client, jobId);
  const options = { ...(version === undefined ? {} : { version }), ...paidBy(payment) };
  const { report, execution, receipt } = await client.report(jobId, options);
  const job = await client.job(jobId);
  const settlement = settlementOf(receipt);
  if (version === undefined) return { content: job, settlement };
  return { content: { ...job, report, ...(execution === null ? {} : { execution }) }, settlement };
}

/** The job as it stands. Where it can be paid for, and is not, the terms are thrown. */
async function look(client: Client, jobId: string): Promise<Sold<VerifiedJob>> {
  const job = await client.job(jobId);
  if (job.payment.state !== "required") return { content: job, settlement: null };
  try {
    await client.report(jobId);
  } catch (error) {
    if (!isCode(error, "job_expired") && !isCode(error, "payment_in_progress")) throw error;
    return { content: job, settlement: null };
  }
  // Paid for in between.
  return { content: await client.job(jobId), settlement: null };
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof ServiceError && error.code === code;

/** What the service refused is the tool's caller's to know, in the service's own words. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, detail, errors, retryAfterSeconds, requestId, receipt } = error;
    throw new ToolFailure({
      code,
      detail,
      ...(errors.length > 0 ? { errors } : {}),
      retryAfterSeconds,
      settlement: receipt,
      members: {
        ...error.members,
        ...(requestId === null ? {} : { requestId }),
        ...(error instanceof PaymentRequired ? { paymentRequired: error.challenge } : {}),
      },
    });
  }
}
