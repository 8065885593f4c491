/** The paid phase from the settings, or from what the local world brings along. */
import type { JsonRpcProvider } from "ethers";
import { POLICIES } from "../../attestor/policies/policy.ts";
import type { Deployment } from "../../chain/deployment.ts";
import { connectRpc, type RpcWatch } from "../../chain/rpc.ts";
import { type Config, ConfigError } from "../settings/config.ts";
import { chainIdOf, type Offer, offersOf, type PaymentOption, priceOf } from "../settings/paymentOptions.ts";
import { createPaymentChain, type PaymentChain } from "./chain.ts";
import { createFacilitator, type FacilitatorClient, httpFacilitator } from "./facilitator.ts";
import type { PaymentMetrics } from "./metrics.ts";
import { createPayments, type Payments } from "./payments.ts";
import type { Seller } from "./purchase.ts";

const RPC_TIMEOUT_MS = 5_000;
const RECONCILE_EVERY_MS = 1_000;

/** Defaults for missing settings. */
export interface PaymentSetup {
  readonly facilitator?: FacilitatorClient;
  readonly options?: readonly PaymentOption[];
  readonly payTo?: string;
}

/** What the paid phase is opened with. */
interface Opening extends Pick<Seller, "db" | "now" | "random" | "process" | "publicUrl" | "log"> {
  readonly config: Config;
  readonly deployment: Deployment;
  /** Of the deployment's chain. */
  readonly provider: JsonRpcProvider;
  readonly setup: PaymentSetup;
  /** To the facilitator. */
  readonly fetch: typeof fetch;
  /** Looks on while nodes of other chains are asked. */
  readonly watch: RpcWatch;
  readonly metrics: PaymentMetrics;
}

export interface OpenedPayments extends Payments {
  /** Ends its ways to the chains. */
  close(): void;
}

/** @returns null in the free phase @throws ConfigError with everything that is missing */
export function openPayments(deps: Opening): OpenedPayments | null {
  const settings = deps.config.payments;
  if (settings === null) return null;
  const { offers, client } = sellingBy(deps, settings);
  const { facilitatorTimeoutMs } = settings;

  const { chains, close } = openChains(offers, deps);
  const seller: Seller = {
    ...deps,
    offers,
    facilitator: deps.metrics.measured(createFacilitator(client, facilitatorTimeoutMs)),
    onEnd: deps.metrics.ended,
    facilitatorTimeoutMs,
    chainOf: (network) => chains.get(network) ?? null,
    underWay: new Map(),
  };
  return { ...createPayments(seller, RECONCILE_EVERY_MS), close };
}

/** What is sold for what, and who settles it. @throws ConfigError with everything that is missing */
export function sellingBy(
  deps: Pick<Opening, "deployment" | "setup" | "fetch">,
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
    if (options.length > 0 && options.every((option) => priceOf(option, policyId) === null))
      faults.push(`PAYMENT_OPTIONS_FILE names no price for ${policyId}, nor one for all policies as "*"`);
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

/** One a network; where a network's options differ, the most confirmations count. */
function openChains(
  offers: readonly Offer[],
  { deployment, provider, watch }: Pick<Opening, "deployment" | "provider" | "watch">,
): { chains: Map<string, PaymentChain>; close: () => void } {
  const ownNodes: JsonRpcProvider[] = [];
  const chains = new Map<string, PaymentChain>();
  for (const { network, chainId, rpcUrl } of offers) {
    if (chains.has(network)) continue;
    const ofNetwork = offers.filter((offer) => offer.network === network);
    const url = rpcUrl ?? ofNetwork.find((offer) => offer.rpcUrl !== undefined)?.rpcUrl;
    let node = provider;
    if (url !== undefined || chainId !== deployment.chainId) {
      node = connectRpc(url as string, chainId, RPC_TIMEOUT_MS, watch);
      ownNodes.push(node);
    }
    const confirmations = Math.max(...ofNetwork.map((offer) => offer.confirmations));
    chains.set(network, createPaymentChain({ provider: node, chainId, confirmations }));
  }
  const close = () => {
    for (const node of ownNodes) node.destroy();
  };
  return { chains, close };
}
