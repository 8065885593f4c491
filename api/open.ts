/**
 * Opens the service: database and clock, deployment and chain, key, log, payments, and what callers are counted by. Each
 * step needs only the ones before it, and all are closed in the opposite order.
 */
import { randomBytes } from "node:crypto";
import { guardDomain } from "../attestor/certificate/certificate.ts";
import { POLICY_VERSIONS } from "../attestor/policies/policy.ts";
import type { UnixMs } from "../attestor/values/time.ts";
import { createCaches } from "../chain/caches.ts";
import { connectRpc } from "../chain/rpc.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import { type Database, type OpenOptions, postgresPoolOf } from "../database/open.ts";
import { createLimits as createProviderLimits, type ProviderLimits } from "../market/providers/limits.ts";
import packageJson from "../package.json" with { type: "json" };
import { answering } from "./answering.ts";
import { openAttestation } from "./attestation/open.ts";
import { unpricedReasons, unsignedWarning } from "./data/capabilities.ts";
import { listedAssets } from "./data/listing.ts";
import { createDailyCap, createLimits } from "./http/limits.ts";
import { createRequestIds } from "./http/requestIds.ts";
import { createAttachments } from "./jobs/attachments.ts";
import { keepDefinitions } from "./jobs/definitions.ts";
import { createStoredLiquidity, openTextHash } from "./jobs/judge.ts";
import { openedByToken } from "./jobs/store.ts";
import { createKeys } from "./keys/keys.ts";
import type { LogSigner } from "./log/key.ts";
import { lastCheckpointsIn } from "./log/lastCheckpoint.ts";
import { createLog } from "./log/log.ts";
import { openLogKey } from "./log/openKey.ts";
import { createWitnesses } from "./log/witnesses.ts";
import { createLogger, type Logger } from "./metrics/logger.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { createWatches } from "./metrics/watches.ts";
import { openChain } from "./opening/chain.ts";
import { bringUp, openClock, openStore } from "./opening/database.ts";
import { readDeployment, readPublisherKeys } from "./opening/deploymentFile.ts";
import { readAssets } from "./pages/assets.ts";
import { createPaymentMetrics } from "./payments/metrics.ts";
import { openPayments, type PaymentSetup } from "./payments/open.ts";
import type { MarketContext, MarketSetup, Service, TaskName } from "./service.ts";
import type { Config } from "./settings/config.ts";
import { processIdentity } from "./settings/processIdentity.ts";
import { keyedProviders } from "./settings/providers.ts";

const RPC_TIMEOUT_MS = 5_000;
/** Tells one start of a process from another. */
const HOLDER_BYTES = 8;
/** Of one address, where keys are approved automatically; further ones wait for a person. */
const AUTOMATIC_KEYS_PER_DAY = 3;

/** What tests and the local world bring in place of the usual. */
export interface Overrides {
  readonly logger?: Logger;
  /** The service's clock, in the place of the database's. */
  readonly now?: () => UnixMs;
  /** This machine's clock. */
  readonly machineClock?: () => UnixMs;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Where the market's data comes from; without it this process collects none. */
  readonly market?: (context: MarketContext) => MarketSetup;
  /** What the paid phase takes where the settings name nothing else. Asked in the paid phase alone. */
  readonly payments?: (context: Pick<MarketContext, "deployment" | "provider">) => PaymentSetup;
  /** By which providers are asked; by default by what the processes on the database share. */
  readonly providerLimits?: ProviderLimits;
  /** Called once the tables are there, before anything works on them. */
  readonly prepareDatabase?: (db: Database) => Promise<void>;
  /** Told of every statement to the database. */
  readonly onQuery?: OpenOptions["onQuery"];
  /** How long running requests may take to end. */
  readonly graceMs?: number;
}

/**
 * @throws ConfigError for settings, a deployment or a key that will not do; AttestorError `invalid_key` or `missing_package`;
 *   DatabaseUnavailable, UnusableDatabase. What was opened by then is closed again
 */
export async function open(config: Config, overrides: Overrides = {}): Promise<Service> {
  const basics = basicsOf(config, overrides);
  const { logger, watches, monotonic } = basics;
  await using opened = new AsyncDisposableStack();
  const onClose: OnClose = (end) =>
    opened.defer(async () => {
      await end()?.catch((error: unknown) => logger.error({ err: error }, "closing failed"));
    });

  const onStatement = config.metrics === null ? undefined : watches.statement;
  const db = openStore(config.databaseUrl.reveal(), { onStatement, onQuery: overrides.onQuery }, logger);
  onClose(() => db.destroy());
  await bringUp(db, logger);
  await overrides.prepareDatabase?.(db);
  const databaseClock = await openClock(db, overrides.machineClock ?? Date.now, monotonic);
  onClose(() => databaseClock.stop());
  const now = overrides.now ?? databaseClock.now;

  const stored = { ...basics, db, now, clockAheadMs: databaseClock.aheadMs };
  const guarded = await openGuarded(stored, overrides, onClose);
  const sale = openSale(guarded, overrides, onClose);
  const log = openLog(guarded, guarded.logKey);
  await storeDefinitions(guarded);
  const market = overrides.market?.({
    ...guarded,
    now: databaseClock.now,
    limits: guarded.providerLimits,
    watch: watches.provider,
  });
  const core = {
    ...guarded,
    ...sale,
    ...callersOf(stored),
    log,
    market,
    policies: POLICY_VERSIONS,
    attachments: createAttachments(basics.caches),
    hashText: await openTextHash(),
    liquidityOf: createStoredLiquidity(db),
    webAssets: openWebAssets(logger),
    taskNames: taskNamesOf(market !== undefined, sale.payments !== null),
  };
  const everything = opened.move();
  return { ...core, ...answering(core), close: () => everything.disposeAsync() };
}

/** Takes what ends a thing that was opened; called when the service is closed. */
type OnClose = (end: () => Promise<unknown> | undefined) => void;

/** What is there before anything is opened. */
function basicsOf(config: Config, overrides: Overrides) {
  const random = overrides.randomBytes ?? ((count: number): Uint8Array => randomBytes(count));
  const monotonic = () => performance.now();
  const metrics = createMetrics();
  const address = { url: `http://${config.host}:${config.port}` };
  const ending = new AbortController();
  const submissions = new EventTarget();
  return {
    config,
    version: packageJson.version,
    logger: overrides.logger ?? createLogger({ level: config.logLevel }),
    monotonic,
    random,
    newRequestId: createRequestIds(random),
    caches: createCaches(monotonic),
    metrics,
    watches: createWatches(metrics, monotonic),
    address,
    publicUrl: () => config.publicUrl ?? address.url,
    ending: ending.signal,
    beginEnd: () => ending.abort(),
    submissions,
    onSubmission: () => void submissions.dispatchEvent(new Event("submission")),
  };
}

type Stored = ReturnType<typeof basicsOf> & Pick<Service, "db" | "now" | "clockAheadMs">;

/** The guard's chain, and the keys of certificates and of the log. */
async function openGuarded(stored: Stored, overrides: Overrides, onClose: OnClose) {
  const { config, db, logger, watches } = stored;
  const deployment = readDeployment(config.deploymentFile);
  const isLive = deployment.source === "live";
  const warning = config.profile === "live" ? unsignedWarning(deployment, keyedProviders(config)) : null;
  if (warning !== null) logger.warn(warning);
  const provider = connectRpc(config.rpcUrl.reveal(), deployment.chainId, RPC_TIMEOUT_MS, watches.rpc);
  onClose(async () => provider.destroy());
  const logKey = await openLogKey(config, logger);
  onClose(() => logKey.stop?.());
  const domain = guardDomain(deployment.chainId, deployment.guard);
  const attestation = await openAttestation(config, domain, () => chain.guardSigner(), logger);
  onClose(() => attestation.stop());
  // Verifications of this process and of others on the same database count their requests together.
  const providerLimits = overrides.providerLimits ?? createProviderLimits(postgresPoolOf(db));
  const chain = openChain(
    { ...stored, deployment, provider },
    {
      publisherKeys: readPublisherKeys(config.publisherKeysFile),
      attestorFor: attestation.keys.addressFor,
      limits: providerLimits,
      fetch,
    },
  );
  return {
    ...stored,
    deployment,
    simulated: !isLive,
    provider,
    chain,
    attestation: { ...attestation.keys, state: attestation.state },
    logKey,
    providerLimits,
    assets: listedAssets(deployment),
    ...(isLive ? { unpricedReason: unpricedReasons(config) } : {}),
  };
}

type Guarded = Awaited<ReturnType<typeof openGuarded>>;

/** What sells the reports, and which process this is, so that others know whose sale is under way. */
function openSale(guarded: Guarded, overrides: Overrides, onClose: OnClose) {
  const { config, deployment, provider, random, now, watches, logger } = guarded;
  const identity = processIdentity(process.pid);
  const paymentMetrics = createPaymentMetrics(guarded);
  const payments = openPayments({
    ...guarded,
    setup: config.payments === null ? {} : (overrides.payments?.({ deployment, provider }) ?? {}),
    now,
    process: identity,
    fetch,
    watch: watches.rpc,
    metrics: paymentMetrics,
    log: logger,
  });
  onClose(async () => payments?.close());
  return {
    payments,
    paymentMetrics,
    process: identity,
    holder: `${identity.self ?? ""}#${Buffer.from(random(HOLDER_BYTES)).toString("hex")}`,
    isDead: (holder: string) => identity.isDead(holder.slice(0, holder.lastIndexOf("#"))),
  };
}

function openLog({ config, db, now, caches, watches, logger }: Stored, signer: LogSigner) {
  const { origin, waitMs, stateDir, witnesses } = config.log;
  const log = createLog({
    db,
    origin,
    patienceMs: waitMs,
    signer,
    lastCheckpoints: lastCheckpointsIn(stateDir),
    witnesses: createWitnesses(fetch),
    asked: witnesses,
    now,
    caches,
    watch: watches.publish,
    log: logger,
  });
  return { ...log, signer, origin };
}

/** Who calls, and how often. */
function callersOf({ config, db, now, random: randomBytes }: Stored) {
  const commonCounts = postgresPoolOf(db);
  return {
    keys: createKeys({ db, now, randomBytes }),
    limits: createLimits(commonCounts),
    oneShots: createDailyCap("one-shots", config.oneShotsPerDay, now, commonCounts),
    automaticKeys: createDailyCap("automatic-keys", AUTOMATIC_KEYS_PER_DAY, now, commonCounts),
    resolveJobToken: (token: string) => openedByToken(db, token, Math.floor(now() / 1_000)),
  };
}

/** Before the first judgement by them, as far as the database accepts writes; the watcher tries again. */
async function storeDefinitions({ db, deployment, logger }: Guarded): Promise<void> {
  await keepDefinitions(db, deployment.registry).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    logger.warn({ err: error }, "the registry and the policies could not be stored; will try again");
  });
}

function openWebAssets(logger: Logger) {
  const assets = readAssets();
  if (assets.missing !== null)
    logger.warn({ reason: assets.missing }, "there are no pages: run npm run setup");
  return assets;
}

/** Those that one of the processes on the database has to do, whether or not this one may. */
function taskNamesOf(collects: boolean, sells: boolean): readonly TaskName[] {
  const names: TaskName[] = ["watcher", "log-publisher", "retention"];
  if (collects) names.push("collector");
  if (sells) names.push("reconciler");
  return names;
}
