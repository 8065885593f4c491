/**
 * The first report of a trade, by either of two ways: a job for an API key, or in one shot without a key. In the
 * paid phase both are bought.
 */
import type { Intent } from "../../attestor/intent.ts";
import type { Asset } from "../../attestor/registry.ts";
import type { Client } from "../../client/client.ts";
import type { Payer } from "./pay.ts";

/** A token as far as the agent has to know it. */
export type Tradable = Pick<Asset, "assetKey" | "symbol" | "kind" | "decimals">;

/** What an agent needs beyond a client of the free phase with an API key. */
export interface Purchase {
  /** A client with the agent's own credentials, or with one job's. */
  readonly clientOf: (own?: { jobToken?: string }) => Client;
  readonly payer: Payer;
  /** Goes without an API key: what it can trade then, from its own list. null: with the key. */
  readonly keyless: null | (() => Promise<readonly Tradable[]>);
}

interface FirstDeps {
  readonly client: Pick<Client, "createJob" | "report">;
  readonly purchase?: Purchase;
  readonly log: (line: string) => void;
}

/** @returns `jobToken` opens the job to who has no key; null where the key does. @throws ServiceError, Unpaid */
export async function firstReport(deps: FirstDeps, intent: Intent, clientRequestId: string) {
  const { purchase } = deps;
  return purchase?.keyless ? inOneShot(purchase, deps.log, intent) : byJob(deps, intent, clientRequestId);
}

async function byJob({ client, purchase, log }: FirstDeps, intent: Intent, clientRequestId: string) {
  const { jobId } = await client.createJob({ clientRequestId, ...intent });
  log(`2. job        ${jobId}`);
  const ask = (paymentSignature?: object) =>
    client.report(jobId, { version: 1, ...(paymentSignature ? { paymentSignature } : {}) });
  const { report, hints } = purchase === undefined ? await ask() : await purchase.payer.buy(ask);
  return { jobId, report, hints, jobToken: null };
}

async function inOneShot({ clientOf, payer }: Purchase, log: (line: string) => void, intent: Intent) {
  // The owner gets the output: this call has no other recipient.
  const { recipientAddress: _, ...trade } = intent;
  const { jobId, report, hints, jobToken } = await payer.buy((paymentSignature) =>
    clientOf().verify(trade, paymentSignature === undefined ? {} : { paymentSignature }),
  );
  log(`2. job        ${jobId}, opened by its own token`);
  return { jobId, report, hints, jobToken };
}
