/**
 * Observers of the working service: durations and outcomes become metrics. Each room below is handed its part as an
 * argument and knows nothing of them.
 */
import { Counter, Gauge, Histogram } from "prom-client";
import type { RpcWatch } from "../../chain/rpc.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { EndedStatement } from "../../database/open.ts";
import type { MarketDeps, StepReport } from "../../market/collect/types.ts";
import { ProviderFault } from "../../market/providers/fault.ts";
import type { ProviderWatch } from "../../market/providers/http.ts";
import type { Metrics } from "./metrics.ts";

export interface AnsweredRequest {
  readonly method: string;
  /** The template of the route; null: there is none at the path. */
  readonly route: string | null;
  readonly status: number;
  /** The client left before the end. */
  readonly aborted: boolean;
  readonly seconds: number;
}

export type Watches = ReturnType<typeof createWatches>;

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const UNKNOWN_ROUTE = "unknown";
/** Upper ends of buckets, in seconds. */
const OF_ANSWERS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const OF_REQUESTS = [...OF_ANSWERS, 20];
const OF_STATEMENTS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const OF_STEPS = [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800];

/** @param monotonic milliseconds on a clock that never goes back */
export function createWatches(metrics: Metrics, monotonic: () => number) {
  const timed = timer(monotonic);
  return {
    http: watchHttp(metrics),
    statement: watchStatements(metrics),
    rpc: watchRpc(metrics, timed),
    provider: watchProviders(metrics, timed),
    collectorStep: watchCollector(metrics, monotonic),
    publish: watchPublishing(metrics, timed),
  };
}

type Timed = <T>(run: () => Promise<T>, ended: (error: unknown, seconds: number) => void) => Promise<T>;

/** @returns runs work and tells how it ended, once: null, or what it threw */
const timer =
  (monotonic: () => number): Timed =>
  async (run, ended) => {
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

function watchHttp(metrics: Metrics) {
  const requests = new Histogram({
    name: "assay_http_request_seconds",
    help: "Answers by route, method and class of status; aborted: the client left before its end.",
    labelNames: ["method", "route", "status"],
    buckets: OF_ANSWERS,
    registers: [metrics],
  });
  const inFlight = new Gauge({
    name: "assay_http_requests_in_flight",
    help: "Requests that are being answered.",
    registers: [metrics],
  });
  return {
    begun: () => inFlight.inc(),
    answered({ method, route, status, aborted, seconds }: AnsweredRequest) {
      inFlight.dec();
      const labels = {
        // Clients may invent methods; the label has few values.
        method: METHODS.has(method) ? method : "other",
        route: route ?? UNKNOWN_ROUTE,
        status: aborted ? "aborted" : `${Math.floor(status / 100)}xx`,
      };
      requests.observe(labels, seconds);
    },
  };
}

/** Of several in one statement the first, which the others depend on. */
const OPERATION = /^\s*(?:with\b.*?\bas\s*\(\s*)?(select|insert|update|delete|begin|commit|rollback)\b/is;

function watchStatements(metrics: Metrics) {
  const statements = new Histogram({
    name: "assay_database_statement_seconds",
    help: "Statements by kind (begin: with the wait for its turn on SQLite; commit: with the wait for the disk) and outcome: ok, refused, unavailable.",
    labelNames: ["operation", "outcome"],
    buckets: OF_STATEMENTS,
    registers: [metrics],
  });
  return ({ query, seconds, error }: EndedStatement): void => {
    // Changes of the schema, savepoints and settings are no kind of their own.
    const operation = OPERATION.exec(query.sql)?.[1]?.toLowerCase() ?? "other";
    statements.observe({ operation, outcome: statementOutcome(error) }, seconds);
  };
}

function statementOutcome(error: unknown): "ok" | "unavailable" | "refused" {
  if (error === undefined) return "ok";
  return isDatabaseUnavailable(error) ? "unavailable" : "refused";
}

function watchRpc(metrics: Metrics, timed: Timed): RpcWatch {
  const requests = new Histogram({
    name: "assay_rpc_request_seconds",
    help: "Requests to nodes by method and outcome: ok, reverted, refused, no_answer.",
    labelNames: ["method", "outcome"],
    buckets: OF_REQUESTS,
    registers: [metrics],
  });
  return {
    request(methods, run, outcomesOf) {
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
    },
  };
}

function watchProviders(metrics: Metrics, timed: Timed): ProviderWatch {
  const requests = new Histogram({
    name: "assay_provider_request_seconds",
    help: "Attempts that were sent to providers, by outcome: ok, or the fault.",
    labelNames: ["provider", "outcome"],
    buckets: OF_REQUESTS,
    registers: [metrics],
  });
  const refusals = new Counter({
    name: "assay_provider_refusals_total",
    help: "Requests that were not sent: rate_limited (the provider locked us out), circuit_open.",
    labelNames: ["provider", "reason"],
    registers: [metrics],
  });
  const faultOf = (error: unknown): string => (error instanceof ProviderFault ? error.code : "error");
  return {
    attempt: (provider, run) =>
      timed(run, (error, seconds) =>
        requests.observe({ provider, outcome: error === null ? "ok" : faultOf(error) }, seconds),
      ),
    refused: (provider, reason) => refusals.inc({ provider, reason }),
  };
}

function watchCollector(metrics: Metrics, monotonic: () => number): NonNullable<MarketDeps["watchStep"]> {
  const steps = new Histogram({
    name: "assay_collector_step_seconds",
    help: "Steps of collecting rounds in this process, by outcome: ok, partly (something could not be had), failed.",
    labelNames: ["step", "outcome"],
    buckets: OF_STEPS,
    registers: [metrics],
  });
  return async (kind, run) => {
    const from = monotonic();
    const report = await run();
    steps.observe({ step: kind, outcome: stepOutcome(report) }, (monotonic() - from) / 1_000);
    return report;
  };
}

function stepOutcome({ done, failed }: StepReport): string {
  if (failed.length === 0) return "ok";
  return done > 0 ? "partly" : "failed";
}

/** Around making a checkpoint of the decision log. */
function watchPublishing(metrics: Metrics, timed: Timed) {
  const published = new Histogram({
    name: "assay_log_publish_seconds",
    help: "Making and storing checkpoints in this process, by outcome: ok, failed.",
    labelNames: ["outcome"],
    buckets: OF_STATEMENTS,
    registers: [metrics],
  });
  return <T>(run: () => Promise<T>): Promise<T> =>
    timed(run, (error, seconds) => published.observe({ outcome: error === null ? "ok" : "failed" }, seconds));
}
