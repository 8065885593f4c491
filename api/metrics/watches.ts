/**
 * Observers of the working service: durations and outcomes become metrics, and steps of the running trace. Each room
 * below is handed its part as an argument and knows neither.
 */
import { type Caches, createCaches } from "../../chain/caches.ts";
import type { RpcWatch } from "../../chain/rpc.ts";
import { isDatabaseUnavailable } from "../../database/databaseErrors.ts";
import type { Connections, Engine } from "../../database/open.ts";
import type { WatchStatement } from "../../database/watched.ts";
import type { MarketDeps, StepReport } from "../../market/collect/types.ts";
import { ProviderFault } from "../../market/providers/fault.ts";
import type { ProviderWatch } from "../../market/providers/request.ts";
import type { Callee } from "../settings/traces.ts";
import { type Attributes, NO_TRACES, type Tracer } from "../traces/tracer.ts";
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
  readonly tracer: Tracer;
  /** Caches are opened here, so that their size is reported. */
  readonly caches: Caches;
  readonly http: { begun(): void; answered(request: AnsweredRequest): void };
  /** undefined: nobody looks on. */
  readonly statement: WatchStatement | undefined;
  readonly rpc: RpcWatch;
  readonly provider: ProviderWatch;
  readonly collectorStep: NonNullable<MarketDeps["watchStep"]>;
  /** Around making a checkpoint of the decision log. */
  readonly publish: <T>(run: () => Promise<T>) => Promise<T>;
  /** Around a request to the facilitator. */
  readonly facilitator: <T>(operation: string, run: () => Promise<T>) => Promise<T>;
  /** Of what goes to the facilitator. */
  facilitatorHeaders(): Readonly<Record<string, string>> | null;
  /** @param connections of the database; null: not known */
  families(connections: Connections | null): Family[];
}

export interface WatchDeps {
  /** Whether anybody can read the metrics; without it nothing is measured. */
  readonly measures: boolean;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  readonly tracer: Tracer;
  readonly engine: Engine;
  /** The services that receive trace headers. */
  readonly callees: readonly Callee[];
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const UNKNOWN_ROUTE = "unknown";

/** Clients may invent methods; the label has few values. */
export const knownMethod = (method: string): string => (METHODS.has(method) ? method : "other");

export function createWatches({ measures, monotonic, tracer, engine, callees }: WatchDeps): Watches {
  const caches = createCaches(monotonic);
  const timed = measures ? timer(monotonic) : untimed;
  const parts = {
    http: watchHttp(measures),
    database: watchDatabase(timed, tracer, engine),
    rpc: watchRpc(timed, tracer, callees.includes("rpc")),
    providers: watchProviders(timed, tracer, callees.includes("providers")),
    collector: watchCollector(monotonic, tracer),
    log: watchPublishing(timed, tracer),
  };
  return {
    tracer,
    caches,
    http: parts.http,
    statement: measures || tracer !== NO_TRACES ? parts.database.statement : undefined,
    rpc: parts.rpc,
    provider: parts.providers,
    collectorStep: parts.collector.step,
    publish: parts.log.publish,
    facilitator: (operation, run) =>
      tracer.step(`facilitator ${operation}`, "client", { "assay.facilitator.operation": operation }, run),
    facilitatorHeaders: () => (callees.includes("facilitator") ? tracer.headers() : null),
    families: (connections) => [
      ...Object.values(parts).flatMap((part) => part.families()),
      ...connectionFamilies(connections),
      ...cacheFamilies(caches),
      spanFamily(tracer),
    ],
  };
}

/** Of nobody's interest: for programs that open a part of the service. */
export const quietWatches = (monotonic: () => number): Watches =>
  createWatches({ measures: false, monotonic, tracer: NO_TRACES, engine: "sqlite", callees: [] });

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

function watchDatabase(timed: Timed, tracer: Tracer, engine: Engine) {
  const statements = histogramFor("assay_database_statement_seconds");
  const system = engine === "sqlite" ? "sqlite" : "postgresql";
  const statement: WatchStatement = ({ operation, table }, run) => {
    const counted = () =>
      timed(run, (error, seconds) => {
        const outcome = error === null ? "ok" : isDatabaseUnavailable(error) ? "unavailable" : "refused";
        statements.observe({ operation, outcome }, seconds);
      });
    const name = table === null ? operation : `${operation} ${table}`;
    const what: Attributes = { "db.system.name": system, "db.operation.name": operation };
    return tracer.step(
      name,
      "client",
      table === null ? what : { ...what, "db.collection.name": table },
      counted,
    );
  };
  return { statement, families: () => [statements] };
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

function watchRpc(timed: Timed, tracer: Tracer, tells: boolean) {
  const requests = histogramFor("assay_rpc_request_seconds");
  const request: RpcWatch["request"] = (methods, run, outcomesOf) => {
    const kinds = [...new Set(methods)].sort();
    const what: Attributes = {
      "rpc.system": "jsonrpc",
      "rpc.method": kinds.join(","),
      "assay.rpc.calls": methods.length,
    };
    return tracer.step(kinds.length === 1 ? String(kinds[0]) : "rpc batch", "client", what, async () => {
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
    });
  };
  return { request, headers: () => (tells ? tracer.headers() : null), families: () => [requests] };
}

function watchProviders(timed: Timed, tracer: Tracer, tells: boolean) {
  const requests = histogramFor("assay_provider_request_seconds");
  const refusals = counterFor("assay_provider_refusals_total");
  return {
    attempt: <T>(provider: string, run: () => Promise<T>): Promise<T> =>
      tracer.step(`provider ${provider}`, "client", { "assay.provider": provider }, () =>
        timed(run, (error, seconds) =>
          requests.observe({ provider, outcome: error === null ? "ok" : faultOf(error) }, seconds),
        ),
      ),
    refused: (provider: string, reason: string) => refusals.inc({ provider, reason }),
    headers: () => (tells ? tracer.headers() : null),
    families: () => [requests, refusals],
  };
}

const faultOf = (error: unknown): string => (error instanceof ProviderFault ? error.code : "error");

function watchCollector(monotonic: () => number, tracer: Tracer) {
  const steps = histogramFor("assay_collector_step_seconds");
  const step: Watches["collectorStep"] = (kind, run) =>
    tracer.task(`collect ${kind}`, { "assay.collector.step": kind }, async () => {
      const from = monotonic();
      const report = await run();
      steps.observe({ step: kind, outcome: stepOutcome(report) }, (monotonic() - from) / 1_000);
      return report;
    });
  return { step, families: () => [steps] };
}

function stepOutcome({ done, failed }: StepReport): string {
  if (failed.length === 0) return "ok";
  return done > 0 ? "partly" : "failed";
}

function watchPublishing(timed: Timed, tracer: Tracer) {
  const published = histogramFor("assay_log_publish_seconds");
  return {
    publish: <T>(run: () => Promise<T>): Promise<T> =>
      tracer.step("log checkpoint", "inside", {}, () =>
        timed(run, (error, seconds) =>
          published.observe({ outcome: error === null ? "ok" : "failed" }, seconds),
        ),
      ),
    families: () => [published],
  };
}

function spanFamily(tracer: Tracer): Family {
  const spans = counterFor("assay_trace_spans_total");
  for (const [outcome, count] of Object.entries(tracer.counts())) spans.inc({ outcome }, count);
  return spans;
}
