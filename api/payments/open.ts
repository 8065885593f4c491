/** The paid phase from the settings, or from what the local world brings along. */
import type { JsonRpcProvider } from "ethers";
import { POLICIES } from "../../attestor/policies/policy.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { connectRpc, type RpcWatch } from "../../chain/rpc.ts";
import type { Database } from "../../database/open.ts";
import type { Logger } from "../metrics/logger.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import {
  chainIdOf,
  type Offer,
  offersOf,
  type PaymentOption,
  policyPriceOf,
} from "../settings/paymentOptions.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";
import { type ChainReader, createChainReader } from "./chainReader.ts";
import { checkOffers } from "./checkOffers.ts";
import { declaredWith } from "./declared.ts";
import { createFacilitator, type FacilitatorClient } from "./facilitator.ts";
import { sponsoringExtension } from "./gasSponsoring.ts";
import { httpFacilitator } from "./httpFacilitator.ts";
import { identifierExtension } from "./identifier.ts";
import type { PaymentMetrics } from "./metrics.ts";
import { createPayments, type Payments } from "./payments.ts";
import { createReceiptIssuer, type ReceiptIssuer } from "./receipts/issue.ts";
import type { ReceiptSigner } from "./receipts/key.ts";
import type { PaymentDeps } from "./sell.ts";
import { createSignIns } from "./signIn/signIns.ts";
import { faultsOfDollars } from "./tariff.ts";

const RPC_TIMEOUT_MS = 5_000;
const RECONCILE_EVERY_MS = 1_000;

/** Defaults for missing settings. */
export interface PaymentSetup {
  readonly facilitator?: FacilitatorClient;
  readonly options?: readonly PaymentOption[];
  readonly payTo?: string;
}

export interface OpenPaymentsDeps {
  readonly config: Config;
  readonly db: Database;
  readonly deployment: Deployment;
  /** Of the deployment's chain. */
  readonly provider: JsonRpcProvider;
  readonly setup: PaymentSetup;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly process: ProcessIdentity;
  /** To the facilitator. */
  readonly fetch: typeof fetch;
  /** Looks on while nodes of other chains are asked. */
  readonly watch: RpcWatch;
  readonly publicUrl: () => string;
  /** Those of the operator's choice, by path. */
  readonly extensions?: (path: string) => Record<string, unknown> | undefined;
  /** Signs receipts and offers; null: they are not signed. */
  readonly receiptSigner: ReceiptSigner | null;
  readonly metrics: PaymentMetrics;
  readonly log: Logger;
}

export interface OpenedPayments extends Payments {
  /** Ends its ways to the chains. */
  close(): void;
}

/** @returns null in the free phase @throws ConfigError with everything that is missing */
export function openPayments(deps: OpenPaymentsDeps): OpenedPayments | null {
  const settings = deps.config.payments;
  if (settings === null) return null;
  const { offers, client } = sellingBy(deps, settings);
  const { dollarsPerToken, facilitatorTimeoutMs } = settings;

  const { readers, close } = openReaders(offers, deps);
  const readerOf = (network: string) => readers.get(network) ?? null;
  void checkOffers(offers, client, readerOf, (details, message) => deps.log.warn(details, message));
  const publicUrl = () => deps.publicUrl().replace(/\/+$/, "");
  const receipts = openReceipts({ ...deps, publicUrl }, offers);
  const signIns = createSignIns({
    ...deps,
    publicUrl,
    networks: [...readers.keys()],
    readerOf,
    onSignIn: deps.metrics.signedIn,
  });
  const paymentDeps: PaymentDeps = {
    ...deps,
    receipts,
    signIns,
    extensions: (path, offered) =>
      declaredWith(
        { ...identifierExtension(path), ...deps.extensions?.(path), ...sponsoringExtension(offered.accepts) },
        offered,
        { signIns, receipts, longHeaders: settings.discovery },
      ),
    offers,
    registry: deps.deployment.registry,
    dollarsPerToken,
    facilitator: deps.metrics.measured(createFacilitator(client, facilitatorTimeoutMs)),
    onEnd: deps.metrics.ended,
    facilitatorTimeoutMs,
    readerOf,
    underWay: new Map(),
  };
  return { ...createPayments(paymentDeps, RECONCILE_EVERY_MS), close };
}

/**
 * What `openPayments` would warn of, looked at by itself: the facilitator, the tokens and their chains.
 * @returns sentences; null in the free phase
 * @throws ConfigError with everything that is missing
 */
export async function saleFaults(
  deps: Pick<OpenPaymentsDeps, "config" | "deployment" | "provider" | "fetch">,
): Promise<string[] | null> {
  const settings = deps.config.payments;
  if (settings === null) return null;
  const { offers, client } = sellingBy({ ...deps, setup: {} }, settings);
  const { readers, close } = openReaders(offers, deps);
  const faults: string[] = [];
  const note = (details: object, message: string) =>
    faults.push([message, ...Object.values(details).map(String)].join(", "));
  await checkOffers(offers, client, (network) => readers.get(network) ?? null, note).finally(close);
  return faults;
}

/** What is sold for what, and who settles it. @throws ConfigError with everything that is missing */
function sellingBy(
  deps: Pick<OpenPaymentsDeps, "deployment" | "setup" | "fetch">,
  settings: NonNullable<Config["payments"]>,
): { offers: readonly Offer[]; client: FacilitatorClient } {
  const { deployment, setup } = deps;
  const faults: string[] = [];
  const options = settings.options ?? setup.options ?? [];
  if (options.length === 0) faults.push("PAYMENT_OPTIONS_FILE is required for PAYMENT_PHASE=paid");
  const offers = offersOf(options, settings.payTo ?? setup.payTo ?? null, faults);
  for (const { network, asset, rpcUrl } of options)
    if (rpcUrl === undefined && chainIdOf(network) !== deployment.chainId)
      faults.push(
        `PAYMENT_OPTIONS_FILE: ${network} ${asset} needs an rpcUrl, since the service runs on another chain`,
      );
  for (const policyId of POLICIES.keys())
    if (options.length > 0 && options.every((option) => policyPriceOf(option, policyId) === null))
      faults.push(`PAYMENT_OPTIONS_FILE names no price for ${policyId}, nor one for all policies as "*"`);
  const { dollarsPerToken } = settings;
  faults.push(...faultsOfDollars({ registry: deployment.registry, dollarsPerToken }));
  const { facilitatorTimeoutMs, facilitatorUrl, facilitatorKey } = settings;
  const client =
    facilitatorUrl === null
      ? setup.facilitator
      : httpFacilitator(
          facilitatorUrl.reveal(),
          facilitatorKey?.reveal() ?? null,
          facilitatorTimeoutMs,
          deps.fetch,
        );
  if (client === undefined) faults.push("FACILITATOR_URL is required for PAYMENT_PHASE=paid");
  if (faults.length > 0 || client === undefined) throw new ConfigError(faults);
  return { offers, client };
}

/** @throws ConfigError when the key is the payee's, too */
function openReceipts(
  { receiptSigner: signer, config, publicUrl, clock }: OpenPaymentsDeps,
  offers: readonly Offer[],
): ReceiptIssuer | null {
  if (signer === null) return null;
  if (offers.some(({ payTo }) => signer.isKeyOf(payTo)))
    throw new ConfigError(["RECEIPT_KEYSTORE: it is the key of who is paid: make another one for receipts"]);
  return createReceiptIssuer({ signer, formerKeys: config.receipts.formerKeys, publicUrl, clock });
}

/** One reader a network; where a network's options differ, the most confirmations count. */
function openReaders(
  offers: readonly Offer[],
  { deployment, provider, watch }: Pick<OpenPaymentsDeps, "deployment" | "provider"> & { watch?: RpcWatch },
): { readers: Map<string, ChainReader>; close: () => void } {
  const own: JsonRpcProvider[] = [];
  const readers = new Map<string, ChainReader>();
  for (const { network, chainId, rpcUrl } of offers) {
    if (readers.has(network)) continue;
    const ofNetwork = offers.filter((offer) => offer.network === network);
    const url = rpcUrl ?? ofNetwork.find((offer) => offer.rpcUrl !== undefined)?.rpcUrl;
    let node = provider;
    if (url !== undefined || chainId !== deployment.chainId) {
      node = connectRpc(url as string, chainId, RPC_TIMEOUT_MS, watch);
      own.push(node);
    }
    const confirmations = Math.max(...ofNetwork.map((offer) => offer.confirmations));
    readers.set(network, createChainReader({ provider: node, chainId, confirmations }));
  }
  const close = () => {
    for (const node of own) node.destroy();
  };
  return { readers, close };
}
