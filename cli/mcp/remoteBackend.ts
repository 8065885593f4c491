/** The tools' backend over HTTP: what `api/mcp` asks for, by the calls of a remote service. */
import type { AssetsAnswer } from "../../api/jobs/catalog.ts";
import type { Job } from "../../api/jobs/schemas.ts";
import type { Backend, Purchase, Sold, TradeDocument } from "../../api/mcp/backend.ts";
import { ToolFailure } from "../../api/mcp/failure.ts";
import { Settlement } from "../../api/mcp/schemas.ts";
import { type Client, PaymentRequired, type Receipt, ServiceError } from "../../client/client.ts";

/**
 * @param client with a key of the service, or the token of a job
 * @param known what was read of the service, for every client of it
 * @param reportView of this installation, not of the service: a program of somebody else's should not judge its reports
 */
export function createRemoteBackend(
  client: Client,
  known: { assets?: AssetsAnswer },
  reportView: () => string | null,
): Backend {
  const listSupportedAssets = async () => {
    known.assets = await told(client.assets());
    return known.assets;
  };
  return {
    data: {
      premiums: ({ symbol, chain, days }) =>
        told(client.data.publicPremiumHistory({ symbol, days, ...(chain === undefined ? {} : { chain }) })),
      bases: ({ underlying, venue, days }) =>
        told(client.data.basisHistory({ underlying, days, ...(venue === undefined ? {} : { venue }) })),
    },
    // The service does not say beforehand.
    charges: true,
    listSupportedAssets,
    knownAssets: async () => known.assets ?? listSupportedAssets(),
    listPolicies: () => told(client.policies()),
    prepareVerification: (body) => told(client.createJob(body)),
    readJob: (jobId) => told(client.job(jobId)),
    purchaseVerification: (jobId, payment) => told(purchase(client, jobId, payment)),
    getVerification: (jobId, version) => told(look(client, jobId, version)),
    readDocument: (jobId, version) => told(documentOf(client, jobId, version)),
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

/** Keeps the further members of the receipt. */
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
  return { job: await client.job(jobId), settlement: settlementOf(receipt) };
}

async function look(client: Client, jobId: string, version: number | undefined): Promise<Job> {
  const job = await client.job(jobId);
  if (version === undefined || !job.entitlement.granted) return job;
  return { ...job, report: (await client.report(jobId, { version })).report };
}

async function documentOf(client: Client, jobId: string, version: number): Promise<Sold<TradeDocument>> {
  const { report, execution = null, receipt } = await client.report(jobId, { version });
  return { content: { jobId, reportVersion: version, report, execution }, settlement: settlementOf(receipt) };
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
