/**
 * The service as one value. `open.ts` opens everything in it once; `app.ts` mounts its routes and `tasks.ts` starts its
 * background tasks. A handler takes a request's input and this, and hands it down: each room below says in its own types
 * which members it needs.
 */
import type { JsonRpcProvider } from "ethers";
import type { UnixMs } from "../attestor/values/time.ts";
import type { Caches } from "../chain/caches.ts";
import type { Deployment } from "../chain/deployment.ts";
import type { Retention } from "../market/collect/retention.ts";
import type { ProviderWatch } from "../market/providers/http.ts";
import type { ProviderLimits } from "../market/providers/limits.ts";
import type { MarketAsset } from "../market/queries.ts";
import type { Market } from "../market/round.ts";
import type { MarketStatus } from "../market/status.ts";
import type { AttestationKeys, AttestationState } from "./attestation/keys.ts";
import type { DataAnswers } from "./data/answers.ts";
import type { InputsLimits } from "./data/inputsLimits.ts";
import type { DailyCap, Limits } from "./http/limits.ts";
import type { Authenticate, OpenedByToken } from "./http/route.ts";
import type { InputDescription } from "./jobs/catalog.ts";
import type { JobDeps } from "./jobs/deps.ts";
import type { JobWaits } from "./jobs/waits.ts";
import type { Keys } from "./keys/keys.ts";
import type { LogAnswers } from "./log/answers.ts";
import type { LogSigner } from "./log/key.ts";
import type { DecisionLog } from "./log/log.ts";
import type { Logger } from "./metrics/logger.ts";
import type { Watches } from "./metrics/watches.ts";
import type { WebAssets } from "./pages/assets.ts";
import type { PaymentMetrics } from "./payments/metrics.ts";
import type { OpenedPayments } from "./payments/open.ts";
import type { Config } from "./settings/config.ts";
import type { Health } from "./status/health.ts";
import type { Heartbeat } from "./status/heartbeats.ts";
import type { Found } from "./status/parts.ts";

/** What one of the processes on a database does without being asked; `tasks.ts` has them. */
export type TaskName =
  | "watcher"
  | "final-trades"
  | "log-publisher"
  | "retention"
  | "collector"
  | "reconciler";

/** What a service collects by. */
export interface MarketSetup {
  readonly market: Market;
  readonly retention?: Retention;
  /** Cron pattern of the rounds, in UTC (every five minutes). */
  readonly pattern?: string;
}

/** What a market is opened with. */
export interface MarketContext {
  readonly deployment: Deployment;
  readonly provider: JsonRpcProvider;
  readonly assets: readonly MarketAsset[];
  /** Real time by the database's clock. */
  now(): UnixMs;
  /** By which providers are asked. */
  readonly limits: ProviderLimits;
  /** Looks on while they are. */
  readonly watch?: ProviderWatch;
}

export interface Service extends JobDeps {
  readonly config: Config;
  /** Of the program. */
  readonly version: string;
  readonly logger: Logger;

  /** Milliseconds since 1970, the same for all processes on the database. */
  now(): UnixMs;
  /** How far this machine's clock is ahead of the database's. */
  clockAheadMs(): number;
  /** Milliseconds on a clock that never goes back, for durations. */
  monotonic(): number;
  /** A random name for a request without one. */
  newRequestId(): string;

  /** Where it listens; known once it does. */
  readonly address: { url: string };
  /** Where clients find the service, without a slash at its end. */
  publicUrl(): string;
  /** Aborted when the process is about to end: a balancer is to send its requests elsewhere. */
  readonly ending: AbortSignal;
  /** Says so. */
  beginEnd(): void;

  readonly caches: Caches;
  readonly watches: Watches;

  readonly deployment: Deployment;
  /** Whether the market is the local world's. */
  readonly simulated: boolean;
  readonly provider: JsonRpcProvider;
  readonly attestation: AttestationKeys & { state(): AttestationState };
  readonly log: DecisionLog & { readonly signer: LogSigner; readonly origin: string };
  readonly logAnswers: LogAnswers;
  /** null in the free phase. */
  readonly payments: OpenedPayments | null;
  readonly paymentMetrics: PaymentMetrics;
  /** What POST /a2mcp/verify takes, with an example. */
  readonly verifyInput: InputDescription;
  readonly waits: JobWaits;
  /** Told when a transaction was submitted, and calls whoever watches in this process. */
  onSubmission(): void;
  readonly submissions: EventTarget;

  readonly keys: Keys;
  readonly authenticate: Authenticate;
  readonly limits: Limits;
  /** What an address may have of reports that nobody pays for. */
  readonly oneShots: DailyCap;
  /** Keys that an address gets without a person's approval. */
  readonly automaticKeys: DailyCap;
  /** The job that a job token or a sign token opens, or null. */
  resolveJobToken(token: string): Promise<OpenedByToken | null>;

  /** In the order in which they are listed. */
  readonly assets: readonly MarketAsset[];
  /** Why an asset cannot have a premium with the keys that there are; null: it can. Absent: all can. */
  readonly unpricedReason?: (asset: MarketAsset) => string | null;
  readonly answers: DataAnswers;
  /** Of answers with `inputs=1`. */
  readonly inputsLimits: InputsLimits;
  /** Where the market's data comes from; undefined: this process collects none. */
  readonly market: MarketSetup | undefined;
  /** What the pages load. */
  readonly webAssets: WebAssets;

  /** Whether database and chain do their work; asked once a second at most. */
  health(): Promise<Health>;
  parts(): Promise<Found>;
  /** @throws DatabaseUnavailable */
  marketStatus(): Promise<MarketStatus>;
  readonly taskNames: readonly TaskName[];
  /** Of each background task, whichever process runs it. @throws DatabaseUnavailable */
  heartbeats(): Promise<readonly Heartbeat[]>;
  /** Tells this process, and which of its starts, from others on the database. */
  readonly holder: string;
  /** Whether another's process surely runs no more. */
  isDead(holder: string): boolean;

  /** Closes what was opened, the last first. Never rejects. */
  close(): Promise<void>;
}
