/**
 * Observers of the working service: durations and outcomes become metrics. Each room below is handed its part as an
 * argument and knows nothing of them.
 */
import { type Caches, createCaches } from "../../chain/caches.ts";
import type { RpcWatch } from "../../chain/rpc.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { Connections, EndedStatement } from "../../database/open.ts";
import type { MarketDeps, StepReport } from "../../market/collect/types.ts";
import { ProviderFault } from "../../market/providers/fault.ts";
import type { ProviderWatch } from "../../market/providers/http.ts";
import { counterFor, type Family, gaugeFor, histogramFor } from "./instruments.ts";

export interface AnsweredRequest {
  readonly method: string;
  /** The template of the route; null: there is none at the path. */
  readonly route: string | null;
  readonly status: number;
  /** The client left before the end. */
  readonly aborted: boolean;
  readonly seconds: number;
}

export interface Watches {
  /** Caches are opened here, so that their size is reported. */
  readonly caches: Caches;
  readonly http: { begun(): void; answered(request: AnsweredRequest): void };
  /** undefined: nobody looks on. */
  readonly statement: ((statement: EndedStatement) => void) | undefined;
  readonly rpc: RpcWatch;
  readonly provider: ProviderWatch;
  readonly collectorStep: NonNullable<MarketDeps["watchStep"]>;
  /** Around making a checkpoint of the decision log. */
  readonly publish: <T>(run: () => Promise<T>) => Promise<T>;
  /** @param connections of the database; null: not known */
  families(connections: Connections | null): Family[];
}

export interface WatchDeps {
  /** Whether anybody can read the metrics; without it nothing is measured. */
  readonly measures: boolean;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const UNKNOWN_ROUTE = "unknown";

/** Clients may invent methods; the label has few values. */
const knownMethod = (method: string): string => (METHODS.has(method) ? method : "other");

export function createWatches({ measures, monotonic }: WatchDeps): Watches {
  const caches = createCaches(monotonic);
  const timed = measures ? timer(monotonic) : untimed;
  const parts = {
    http: watchHttp(measures),
    database: watchDatabase(),
    rpc: watchRpc(timed),
    providers: watchProviders(timed),
    collector: watchCollector(monotonic),
    log: watchPublishing(timed),
  };
  return {
    caches,
    http: parts.http,
    statement: measures ? parts.database.statement : undefined,
    rpc: parts.rpc,
    provider: parts.providers,
    collectorStep: parts.collector.step,
    publish: parts.log.publish,
    families: (connections) => [
      ...Object.values(parts).flatMap((part) => part.families()),
      ...connectionFamilies(connections),
      ...cacheFamilies(caches),
    ],
  };
}

/** Of nobody's interest: for programs that open a part of the service. */
export const quietWatches = (monotonic: () => number): Watches =>
  createWatches({ measures: false, monotonic });

type Timed = <T>(run: () => Promise<T>, ended: (error: unknown, seconds: number) => void) => Promise<T>;

const untimed: Timed = (run) => run();

/** @returns runs work and tells how it ended, once: `ok`, or what it threw */
const timer =
  (monotonic: () => number) =>
  async <T>(run: () => Promise<T>, ended: (error: unknown, seconds: number) => void): Promise<T> => {
    const from = monotonic();
    let error: unknown = null;
    try {
      return await run();
    } catch (thrown) {
      error = thrown ?? new Error("nothing was thrown");
      throw thrown;
    } finally {
      ended(error, (monotonic() - from) / 1_000);
    }
  };

function watchHttp(measures: boolean) {
  const requests = histogramFor("assay_http_request_seconds");
  let inFlight = 0;
  return {
    begun() {
      inFlight++;
    },
    answered({ method, route, status, aborted, seconds }: AnsweredRequest) {
      inFlight--;
      if (!measures) return;
      const labels = {
        method: knownMethod(method),
        route: route ?? UNKNOWN_ROUTE,
        status: aborted ? "aborted" : `${Math.floor(status / 100)}xx`,
      };
      requests.observe(labels, seconds);
    },
    families: () => [requests, gaugeFor("assay_http_requests_in_flight", [[{}, inFlight]])],
  };
}

const OPERATION = /^\s*(?:with\b.*?\)\s*)?(select|insert|update|delete|begin|commit|rollback)\b/is;

function watchDatabase() {
  const statements = histogramFor("assay_database_statement_seconds");
  const statement = ({ query, seconds, error }: EndedStatement): void => {
    // Changes of the schema, savepoints and settings are no kind of their own.
    const operation = OPERATION.exec(query.sql)?.[1]?.toLowerCase() ?? "other";
    statements.observe({ operation, outcome: statementOutcome(error) }, seconds);
  };
  return { statement, families: () => [statements] };
}

function statementOutcome(error: unknown): "ok" | "unavailable" | "refused" {
  if (error === undefined) return "ok";
  return isDatabaseUnavailable(error) ? "unavailable" : "refused";
}

function connectionFamilies(connections: Connections | null): Family[] {
  return [
    gaugeFor(
      "assay_database_connections",
      connections ? (["used", "idle"] as const).map((state) => [{ state }, connections[state]] as const) : [],
    ),
    gaugeFor("assay_database_waiting", connections ? [[{}, connections.waiting]] : []),
  ];
}

function cacheFamilies(caches: Caches): Family[] {
  const held = caches.held();
  return [
    gaugeFor(
      "assay_cache_bytes",
      held.map(({ cache, bytes }) => [{ cache }, bytes] as const),
    ),
    gaugeFor(
      "assay_cache_entries",
      held.map(({ cache, entries }) => [{ cache }, entries] as const),
    ),
  ];
}

function watchRpc(timed: Timed) {
  const requests = histogramFor("assay_rpc_request_seconds");
  const request: RpcWatch["request"] = (methods, run, outcomesOf) => {
    let outcomes: readonly string[] = [];
    const answered = async () => {
      const answer = await run();
      outcomes = outcomesOf(answer);
      return answer;
    };
    return timed(answered, (_error, seconds) => {
      for (const [index, method] of methods.entries())
        requests.observe({ method, outcome: outcomes[index] ?? "no_answer" }, seconds);
    });
  };
  return { request, families: () => [requests] };
}

function watchProviders(timed: Timed) {
  const requests = histogramFor("assay_provider_request_seconds");
  const refusals = counterFor("assay_provider_refusals_total");
  return {
    attempt: <T>(provider: string, run: () => Promise<T>): Promise<T> =>
      timed(run, (error, seconds) =>
        requests.observe({ provider, outcome: error === null ? "ok" : faultOf(error) }, seconds),
      ),
    refused: (provider: string, reason: string) => refusals.inc({ provider, reason }),
    families: () => [requests, refusals],
  };
}

const faultOf = (error: unknown): string => (error instanceof ProviderFault ? error.code : "error");

function watchCollector(monotonic: () => number) {
  const steps = histogramFor("assay_collector_step_seconds");
  const step: Watches["collectorStep"] = async (kind, run) => {
    const from = monotonic();
    const report = await run();
    steps.observe({ step: kind, outcome: stepOutcome(report) }, (monotonic() - from) / 1_000);
    return report;
  };
  return { step, families: () => [steps] };
}

function stepOutcome({ done, failed }: StepReport): string {
  if (failed.length === 0) return "ok";
  return done > 0 ? "partly" : "failed";
}

function watchPublishing(timed: Timed) {
  const published = histogramFor("assay_log_publish_seconds");
  return {
    publish: <T>(run: () => Promise<T>): Promise<T> =>
      timed(run, (error, seconds) =>
        published.observe({ outcome: error === null ? "ok" : "failed" }, seconds),
      ),
    families: () => [published],
  };
}
