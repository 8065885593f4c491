/** Read this first: what stands behind the routes. The attestation key, the chain, the jobs, and the background work. */
import type { JsonRpcProvider } from "ethers";
import { guardDomain } from "../attestor/certificate/certificate.ts";
import { POLICY_VERSIONS } from "../attestor/policies/policy.ts";
import type { UnixMs } from "../attestor/values/time.ts";
import type { Chain } from "../chain/chain.ts";
import type { Deployment } from "../chain/deployment.ts";
import { connectRpc } from "../chain/rpc.ts";
import type { DatabaseClock } from "../database/clock.ts";
import { DatabaseUnavailable, nullIfAway } from "../database/errors.ts";
import { type Database, postgresPoolOf } from "../database/open.ts";
import type { ProviderWatch } from "../market/providers/http.ts";
import { createLimits, type ProviderLimits } from "../market/providers/limits.ts";
import type { MarketAsset } from "../market/queries.ts";
import type { AttestationState } from "./attestation/keys.ts";
import { openAttestation } from "./attestation/open.ts";
import { unsignedWarning } from "./data/capabilities.ts";
import { listedAssets } from "./data/listing.ts";
import { createAttachments } from "./jobs/attachments.ts";
import { keepDefinitions } from "./jobs/definitions.ts";
import { unreadBlocks } from "./jobs/guardEvents.ts";
import { createStoredLiquidity, openTextHash } from "./jobs/judge.ts";
import type { OperationDeps } from "./jobs/operations.ts";
import { openedByToken } from "./jobs/store.ts";
import type { AuthenticateDeps } from "./keys/authenticate.ts";
import { openLogKey } from "./log/files.ts";
import type { LogSigner } from "./log/key.ts";
import type { DecisionLog } from "./log/log.ts";
import { logFamilies } from "./log/state.ts";
import { type Family, gaugeFor } from "./metrics/instruments.ts";
import type { Logger } from "./metrics/logger.ts";
import type { Watches } from "./metrics/watches.ts";
import { createPaymentMetrics, type PaymentMetrics } from "./payments/metrics.ts";
import { type OpenedPayments, openPayments, type PaymentSetup } from "./payments/open.ts";
import type { Payments } from "./payments/payments.ts";
import { type Background, type MarketSetup, startBackground } from "./services/background.ts";
import { openChain } from "./services/chain.ts";
import { readDeployment, readPublisherKeys } from "./services/deploymentFile.ts";
import type { Config } from "./settings/config.ts";
import { type ProcessIdentity, processIdentity } from "./settings/processIdentity.ts";
import { keyedProviders } from "./settings/providers.ts";
import { type Heartbeat, heartbeatFamilies, heartbeatsOf } from "./status/heartbeats.ts";

const RPC_TIMEOUT_MS = 5_000;
/** Tells one start of a process from another. */
const HOLDER_BYTES = 8;

export interface ServicesDeps {
  readonly config: Config;
  readonly db: Database;
  readonly logger: Logger;
  now(): UnixMs;
  /** Real time, by which providers count; `now` may be a simulated one. */
  readonly databaseClock: Pick<DatabaseClock, "now">;
  randomBytes(count: number): Uint8Array;
  readonly fetch?: typeof fetch;
  /** By which providers are asked; by default by what the processes on the database share. */
  readonly limits?: ProviderLimits;
  readonly watches: Watches;
  /** Where the market's data comes from; without it this process collects none. */
  readonly market?: (context: MarketContext) => MarketSetup;
  /** What the paid phase takes where the settings name nothing else. Asked in the paid phase alone. */
  readonly payments?: (context: Pick<MarketContext, "deployment" | "provider">) => PaymentSetup;
  /** Where clients reach the service; called when it is first needed. */
  publicUrl(): string;
}

export interface MarketContext {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly assets: readonly MarketAsset[];
  /** Real time by the database's clock. */
  now(): UnixMs;
  /** By which providers are asked. */
  readonly limits: ProviderLimits;
  /** Looks on while they are. */
  readonly watch: ProviderWatch;
}

export interface Services {
  readonly deployment: Deployment;
  readonly assets: readonly MarketAsset[];
  readonly provider: JsonRpcProvider;
  readonly chain: Chain;
  readonly jobs: OperationDeps;
  /** null in the free phase. */
  readonly payments: Payments | null;
  /** Whether the market is collected, by this process or by another. */
  readonly collects: boolean;
  readonly resolveJobToken: AuthenticateDeps["resolveJobToken"];
  /** What operators measure. Metrics of the database have no values while it is away. */
  metrics(): Promise<readonly Family[]>;
  attestation(): AttestationState;
  /** Of each background task, whichever process runs it. @throws DatabaseUnavailable */
  heartbeats(): Promise<readonly Heartbeat[]>;
  readonly log: Pick<DecisionLog, "state"> & { readonly signer: LogSigner; readonly origin: string };
  /** Ends the background tasks, after what runs at the moment. */
  stop(): Promise<void>;
}

/** @throws ConfigError for a deployment or a key that will not do; AttestorError `invalid_key` */
export async function openServices(deps: ServicesDeps): Promise<Services> {
  const { config, db, logger, databaseClock } = deps;
  const ground = groundOf(deps);
  const { deployment, provider, watches } = ground;
  const logKey = await openLogKey(config, logger);
  const domain = guardDomain(deployment.chainId, deployment.guard);
  const attestation = await openAttestation(config, domain, () => chain.guardSigner(), logger);
  const chain = openChain({ ...ground, attestorFor: attestation.keys.addressFor });
  const sale = openSale(deps, ground);
  await storeDefinitions(ground);
  const assets = listedAssets(deployment);
  const market = deps.market?.({ ...ground, assets, now: databaseClock.now, watch: watches.provider });
  const background = startBackground({
    ...ground,
    chain,
    assets,
    logKey,
    market,
    payments: sale.payments,
    monotonic: () => performance.now(),
    ...holderOf(sale.process, deps.randomBytes(HOLDER_BYTES)),
  });

  return {
    deployment,
    assets,
    provider,
    chain,
    payments: sale.payments,
    collects: market !== undefined,
    jobs: {
      ...{ db, chain },
      attachments: createAttachments(watches.caches),
      payments: sale.payments,
      attestation: attestation.keys,
      policies: POLICY_VERSIONS,
      log: background.decisionLog,
      clock: ground.clock,
      random: (count) => deps.randomBytes(count),
      hashText: await openTextHash(),
      onSubmission: background.onSubmission,
      publicUrl: () => deps.publicUrl(),
      liquidityOf: createStoredLiquidity(db),
    },
    attestation: attestation.state,
    log: { ...background.decisionLog, signer: logKey, origin: config.log.origin },
    metrics: () => measured(sale.metrics, background, ground),
    resolveJobToken: (token) => openedByToken(db, token, Math.floor(ground.clock() / 1000)),
    heartbeats: () => heartbeatsOf(db, background.tasks, ground.clock()),
    stop: async () => {
      await Promise.all([background.stop(), attestation.stop()]);
      sale.payments?.close();
      // The log's last checkpoint is signed while it ends.
      await logKey.stop?.();
      provider.destroy();
    },
  };
}

/** A process, and which of its starts: where one was killed another on the same machine can tell at once. */
function holderOf(identity: ProcessIdentity, random: Uint8Array) {
  return {
    holder: `${identity.self ?? ""}#${Buffer.from(random).toString("hex")}`,
    isDead: (holder: string) => identity.isDead(holder.slice(0, holder.lastIndexOf("#"))),
  };
}

/** What is opened first, and what the rest is opened with. */
type Ground = ReturnType<typeof groundOf>;

function groundOf(deps: ServicesDeps) {
  const { config, db, logger, now, watches } = deps;
  const deployment = readDeployment(config.deploymentFile);
  const warning = config.profile === "live" ? unsignedWarning(deployment, keyedProviders(config)) : null;
  if (warning !== null) logger.warn(warning);
  return {
    config,
    db,
    deployment,
    publisherKeys: readPublisherKeys(config.publisherKeysFile),
    provider: connectRpc(config.rpcUrl.reveal(), deployment.chainId, RPC_TIMEOUT_MS, watches.rpc),
    // Verifications of this process and of others on the same database count their requests together.
    limits: deps.limits ?? createLimits(postgresPoolOf(db)),
    clock: () => now(),
    fetch: deps.fetch ?? fetch,
    watches,
    logger,
  };
}

/** What sells the reports, and what is measured of it. */
interface Sale {
  /** null in the free phase. */
  readonly payments: OpenedPayments | null;
  readonly metrics: PaymentMetrics;
  readonly process: ProcessIdentity;
}

function openSale(deps: ServicesDeps, ground: Ground): Sale {
  const { config, db, deployment, provider, clock, logger, watches } = ground;
  const identity = processIdentity(process.pid);
  const metrics = createPaymentMetrics({
    db,
    clock,
    monotonic: () => performance.now(),
  });
  const payments = openPayments({
    config,
    db,
    deployment,
    provider,
    setup: config.payments === null ? {} : (deps.payments?.({ deployment, provider }) ?? {}),
    clock,
    random: (count) => deps.randomBytes(count),
    process: identity,
    fetch: ground.fetch,
    watch: watches.rpc,
    publicUrl: () => deps.publicUrl(),
    metrics,
    log: logger,
  });
  return { payments, metrics, process: identity };
}

/** Before the first judgement by them, as far as the database accepts writes; who follows final trades tries again. */
async function storeDefinitions({ db, deployment, logger }: Ground): Promise<void> {
  await keepDefinitions(db, deployment.registry).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    logger.warn({ err: error }, "the registry and the policies could not be stored; will try again");
  });
}

async function measured(
  sale: PaymentMetrics,
  { decisionLog, tasks }: Background,
  { db, deployment, clock }: Ground,
): Promise<readonly Family[]> {
  const now = clock();
  const [held, state, heartbeats, unread] = await Promise.all([
    sale.families(),
    decisionLog.state().catch(nullIfAway),
    heartbeatsOf(db, tasks, now).catch(nullIfAway),
    unreadBlocks(db, deployment).catch(nullIfAway),
  ]);
  return [...held, ...logFamilies(state, now), ...heartbeatFamilies(heartbeats ?? []), gaugeFor("assay_guard_unread_blocks", unread === null ? [] : [[{}, unread]])];
}
