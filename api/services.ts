/** What stands behind the routes: the attestation key, the chain, the jobs, and the work in the background. */
import { readFileSync } from "node:fs";
import type { JsonRpcProvider } from "ethers";
import { z } from "zod";
import { sessionAt } from "../attestor/calendar.ts";
import { guardDomain } from "../attestor/certificate.ts";
import { type Chain, createChain } from "../chain/chain.ts";
import { Deployment } from "../chain/deployment.ts";
import { connectRpc } from "../chain/rpc.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import type { Database } from "../database/open.ts";
import { probeWriting } from "../database/probe.ts";
import { DEFAULT_RETENTION, type Retention } from "../market/collect/retention.ts";
import { type Collector, startCollecting } from "../market/collect/schedule.ts";
import type { MarketSources } from "../market/collect/sources.ts";
import { createOffchainSources } from "../market/live/offchainFacts.ts";
import { createSlotStore } from "../market/live/slotStore.ts";
import { type Budgets, createBudgets, UNLIMITED } from "../market/providers/budgets.ts";
import { systemClock } from "../market/providers/clock.ts";
import { liquidityScores, type MarketAsset } from "../market/queries.ts";
import { createSampleRoots } from "../market/series/sampleBatches.ts";
import type { AttestationState } from "./attestation/keys.ts";
import { openAttestation } from "./attestation/open.ts";
import { listedAssets } from "./data/listing.ts";
import { discoveryExtensions } from "./discovery/x402.ts";
import type { JobDeps } from "./jobs/deps.ts";
import { digestOf } from "./jobs/ids.ts";
import { createRawAnswers } from "./jobs/rawAnswers.ts";
import { startRetention } from "./jobs/retentionRounds.ts";
import { findJobOfToken } from "./jobs/store.ts";
import { openTextHash } from "./jobs/textHash.ts";
import { describeInput } from "./jobs/verifyInput.ts";
import { startWatcher } from "./jobs/watcher.ts";
import { lastWordsIn, openLogKey } from "./log/files.ts";
import type { LogSigner } from "./log/key.ts";
import { type DecisionLog, startLog } from "./log/log.ts";
import { logFamilies } from "./log/metrics.ts";
import { createWitnesses } from "./log/witnesses.ts";
import type { Family } from "./metrics/instruments.ts";
import type { Logger } from "./metrics/logger.ts";
import { createPaymentMetrics } from "./payments/metrics.ts";
import { openPayments, type PaymentSetup } from "./payments/open.ts";
import type { Payments } from "./payments/payments.ts";
import { openReceiptKey } from "./payments/receipts/open.ts";
import { keepDefinitions } from "./published/definitions.ts";
import { startFollowingFinal } from "./published/followFinal.ts";
import { type Config, ConfigError } from "./settings/config.ts";
import { processIdentity } from "./settings/processIdentity.ts";
import { revealed } from "./settings/providers.ts";
import { startChecks } from "./status/checks.ts";

/** Tells this process from others that could collect. */
const HOLDER_BYTES = 8;
const RPC_TIMEOUT_MS = 5_000;
const FINALITY_BLOCKS = { local: 3, live: 15 };
const WATCH_EVERY_MS = { local: 500, live: 1_000 };
/** Nobody waits for evidence to become public. */
const PUBLISH_EVERY_MS = { local: 1_000, live: 15_000 };

export interface ServicesDeps {
  readonly config: Config;
  readonly db: Database;
  readonly logger: Logger;
  /** Unix milliseconds. */
  now(): number;
  randomBytes(count: number): Uint8Array;
  readonly fetch?: typeof fetch;
  /** Where the market's data comes from; without it this process collects none. */
  readonly market?: (context: MarketContext) => MarketSetup;
  /** What the paid phase takes where the settings name nothing else. Asked in the paid phase alone. */
  readonly payments?: (context: Pick<MarketContext, "deployment" | "provider">) => PaymentSetup;
  /** Where clients reach the service; asked when the first of them is told. */
  publicUrl(): string;
}

export interface MarketContext {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly assets: readonly MarketAsset[];
  /** By which providers are asked. */
  readonly budgets: Budgets;
}

export interface MarketSetup {
  readonly sources: MarketSources;
  readonly retention?: Retention;
  /** Cron pattern of the rounds, in UTC (every five minutes). */
  readonly pattern?: string;
}

export interface Services {
  readonly deployment: Deployment;
  /** The listed tokens. */
  readonly assets: readonly MarketAsset[];
  readonly provider: JsonRpcProvider;
  readonly chain: Chain;
  readonly jobs: JobDeps & { onSubmission(): void };
  /** null in the free phase. */
  readonly payments: Payments | null;
  resolveJobToken(token: string): Promise<string | null>;
  /** What operators measure. @throws DatabaseUnavailable */
  metrics(): Promise<readonly Family[]>;
  attestation(): AttestationState;
  readonly log: Pick<DecisionLog, "state"> & { readonly signer: LogSigner; readonly base: string };
  /** Ends the work in the background, after what runs at the moment. */
  stop(): Promise<void>;
}

/** @throws ConfigError for a deployment or a key that will not do; AttestorError `invalid_key` */
export async function openServices(deps: ServicesDeps): Promise<Services> {
  const { config, db, logger } = deps;
  const clock = () => deps.now();
  const deployment = readDeployment(config.deploymentFile);
  const logKey = await openLogKey(config);
  const attestation = await openAttestation(
    config,
    guardDomain(deployment.chainId, deployment.guard),
    () => chain.guardSigner(),
    logger,
  );

  // Collectors and verifications of this process, and those of others on the same database, ask by the same budgets.
  // Providers count real seconds, whatever the service's clock says.
  const budgets = createBudgets({ store: createSlotStore(db, () => systemClock.now()) });
  const provider = connectRpc(config.rpcUrl.reveal(), deployment.chainId, RPC_TIMEOUT_MS);
  const simulated = deployment.source === "simulated";
  // The simulated market never closes.
  const sessionOf = (seconds: number) => (simulated ? "regular" : sessionAt(seconds).state);
  const rawAnswers = createRawAnswers();
  const chain = createChain({
    keepRaw: rawAnswers.keep,
    provider,
    deployment,
    attestorFor: attestation.keys.addressFor,
    sessionAt: (seconds) => ({
      source: simulated ? deployment.source : "nyse-calendar",
      state: sessionOf(seconds),
    }),
    offchain:
      simulated && deployment.offchain === undefined
        ? null
        : createOffchainSources({
            keys: revealed(config.providers.keys),
            baseUrls: {
              // The local world's prices are signed where its chain is.
              ...(simulated ? { pythHermes: config.rpcUrl.reveal() } : {}),
              ...config.providers.baseUrls,
            },
            chainId: deployment.chainId,
            ...(simulated ? { source: deployment.source } : {}),
            fetch: deps.fetch ?? fetch,
            // The local world's prices come from its own node.
            budgets: simulated ? UNLIMITED : budgets,
            keepRaw: (raw) => void rawAnswers.keep(raw),
            now: clock,
            log: logger,
          }),
  });

  const receiptSigner = await openReceiptKey(config, {
    attestation: [attestation.keys.current()],
    log: logKey.publicKey,
  });
  const identity = processIdentity(process.pid);
  const paymentMetrics = createPaymentMetrics({ db, clock, monotonic: () => performance.now() });
  const payments = openPayments({
    config,
    db,
    deployment,
    provider,
    setup: config.payments === null ? {} : (deps.payments?.({ deployment, provider }) ?? {}),
    clock,
    random: (count) => deps.randomBytes(count),
    process: identity,
    fetch: deps.fetch ?? fetch,
    publicUrl: () => deps.publicUrl(),
    receiptSigner,
    metrics: paymentMetrics,
    ...(config.payments?.discovery
      ? { extensions: discoveryExtensions(describeInput(deployment.registry)) }
      : {}),
    log: logger,
  });
  // Before the first judgement by it, as far as the database takes writes; who follows final trades tries again.
  await keepDefinitions(db, deployment.registry).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    logger.warn({ err: error }, "the registry and the policies could not be stored; will try again");
  });
  const watcher = startWatcher({
    db,
    chain,
    clock,
    finalityBlocks: FINALITY_BLOCKS[config.profile],
    pollMs: WATCH_EVERY_MS[config.profile],
    log: logger,
  });
  const publishing = startFollowingFinal({
    db,
    chain,
    finalityBlocks: FINALITY_BLOCKS[config.profile],
    pollMs: PUBLISH_EVERY_MS[config.profile],
    log: logger,
  });
  const retention = startRetention({
    db,
    retention: config.retention,
    holder: Buffer.from(deps.randomBytes(HOLDER_BYTES)).toString("hex"),
    clock,
    log: logger,
  });
  const decisionLog = startLog({
    db,
    base: config.log.origin,
    patienceMs: config.log.waitMs,
    signer: logKey,
    lastWords: lastWordsIn(config.log.stateDir),
    witnesses: createWitnesses(deps.fetch ?? fetch),
    asked: config.log.witnesses,
    holder: Buffer.from(deps.randomBytes(HOLDER_BYTES)).toString("hex"),
    clock,
    log: logger,
  });
  const hashText = await openTextHash();
  const samplesRootOf = createSampleRoots(db);
  const assets = listedAssets(deployment);
  const setup = deps.market?.({ deployment, provider, assets, budgets });
  const collector: Collector | undefined =
    setup &&
    startCollecting(
      {
        db,
        assets,
        sources: setup.sources,
        retention: { ...(setup.retention ?? DEFAULT_RETENTION), ...config.market.retention },
        platformFeeBps: config.market.platformFeeBps,
        sessionAt: sessionOf,
        now: clock,
        log: logger,
      },
      {
        holder: Buffer.from(deps.randomBytes(HOLDER_BYTES)).toString("hex"),
        ...(setup.pattern === undefined ? {} : { pattern: setup.pattern }),
      },
    );
  const checks = startChecks({
    db,
    probes: { database: () => probeWriting(db, clock()), chain: () => chain.probe() },
    collects: setup !== undefined,
    holder: Buffer.from(deps.randomBytes(HOLDER_BYTES)).toString("hex"),
    now: clock,
    log: logger,
  });

  return {
    deployment,
    assets,
    provider,
    chain,
    payments,
    jobs: {
      db,
      chain,
      rawAnswers,
      payments,
      attestation: attestation.keys,
      log: decisionLog,
      process: identity,
      clock,
      random: (count) => deps.randomBytes(count),
      hashText,
      onSubmission: () => watcher.nudge(),
      liquidityOf: async (assetKey, now) => {
        const [score] = await liquidityScores(db, [assetKey], now);
        if (score === undefined || score.source === null) return null;
        const { assetKey: _, source, updatedAt, ...figures } = score;
        if (updatedAt === null) return { source, updatedAt, ...figures, samplesRoot: null };
        const liquidity = { source, updatedAt, ...figures };
        return { ...liquidity, samplesRoot: await samplesRootOf(assetKey, liquidity) };
      },
    },
    attestation: attestation.state,
    log: { ...decisionLog, signer: logKey, base: config.log.origin },
    metrics: async () => [
      ...(await paymentMetrics.families()),
      ...logFamilies(await decisionLog.state(), clock()),
    ],
    resolveJobToken: (token) => findJobOfToken(db, digestOf(token), Math.floor(clock() / 1000)),
    stop: async () => {
      await Promise.all([
        watcher.stop(),
        publishing.stop(),
        retention.stop(),
        collector?.stop(),
        attestation.stop(),
        payments?.stop(),
        decisionLog.stop(),
        checks.stop(),
      ]);
      provider.destroy();
    },
  };
}

function readDeployment(path: string): Deployment {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new ConfigError([
      `DEPLOYMENT_FILE cannot be read as JSON: ${path} (npm run chain writes the local one)`,
    ]);
  }
  const parsed = Deployment.safeParse(content);
  if (!parsed.success)
    throw new ConfigError([`DEPLOYMENT_FILE ${path} is no deployment:\n${z.prettifyError(parsed.error)}`]);
  return parsed.data;
}
