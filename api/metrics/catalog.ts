/**
 * Every metric of the service: the one list that the table in docs/operations.md, the dashboard and the tests of the
 * alerts are made from or held against. Names and units are Prometheus': seconds, `_total` for counters, and no label
 * that the outside could fill with what it likes.
 */

export interface MetricSpec {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** What its values count; null: a number without one. */
  readonly unit: "seconds" | null;
  readonly group: MetricGroup;
  /** Of a histogram: upper ends of its buckets, ascending. */
  readonly buckets?: readonly number[];
}

export type MetricGroup =
  | "http"
  | "database"
  | "chain"
  | "providers"
  | "log"
  | "market"
  | "payments"
  | "processes"
  | "traces";

const ANSWER = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATEMENT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const REQUEST = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const FACILITATOR = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const STEP = [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1_800];
/** The table counts in whole seconds. */
const SETTLEMENT = [1, 2, 5, 10, 30, 60, 120, 300, 900];

const gauge = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: "gauge", help, labels, unit: null }) as const;
const secondsGauge = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: "gauge", help, labels, unit: "seconds" }) as const;
const counter = <const Labels extends readonly string[]>(help: string, labels: Labels) =>
  ({ type: "counter", help, labels, unit: null }) as const;
const histogram = <const Labels extends readonly string[]>(
  help: string,
  labels: Labels,
  buckets: readonly number[],
) => ({ type: "histogram", help, labels, unit: "seconds", buckets }) as const;

function inGroup<Specs extends Readonly<Record<string, Omit<MetricSpec, "group">>>>(
  group: MetricGroup,
  specs: Specs,
): { readonly [Name in keyof Specs]: Specs[Name] & Pick<MetricSpec, "group"> } {
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, group }])) as never;
}

const HTTP = inGroup("http", {
  assay_http_request_seconds: histogram(
    "Answers by route, method and class of status; aborted: the client left before its end.",
    ["method", "route", "status"],
    ANSWER,
  ),
  assay_http_requests_in_flight: gauge("Requests that are being answered.", []),
});

const DATABASE = inGroup("database", {
  assay_database_up: gauge(
    "1: what the database holds could be read for this answer. 0: metrics of it have no values.",
    [],
  ),
  assay_database_statement_seconds: histogram(
    "Statements by kind (acquire: waiting for a connection of the pool) and outcome: ok, refused, unavailable.",
    ["operation", "outcome"],
    STATEMENT,
  ),
  assay_database_connections: gauge(
    "Connections of this process by state: used, idle. On SQLite the one that writes.",
    ["state"],
  ),
  assay_database_waiting: gauge(
    "Who waits for a connection in this process; on SQLite for its turn to write.",
    [],
  ),
});

const CHAIN = inGroup("chain", {
  assay_rpc_request_seconds: histogram(
    "Requests to nodes by method and outcome: ok, reverted, refused, no_answer.",
    ["method", "outcome"],
    REQUEST,
  ),
  assay_guard_unrecorded_changes: gauge(
    "Changes of the guard in final blocks, by event, whose transaction the deployment file does not name; no value where it names none.",
    ["kind"],
  ),
  assay_guard_unread_blocks: gauge(
    "Final blocks whose events of the guard nobody has read yet: neither its trades nor its changes.",
    [],
  ),
});

const PROVIDERS = inGroup("providers", {
  assay_provider_request_seconds: histogram(
    "Attempts that were sent to providers, by outcome: ok, or the fault.",
    ["provider", "outcome"],
    REQUEST,
  ),
  assay_provider_refusals_total: counter(
    "Requests that were not sent: rate_limited (the provider locked us out), circuit_open.",
    ["provider", "reason"],
  ),
});

const LOG = inGroup("log", {
  assay_log_entries: gauge("Entries of the running decision log that have their place.", ["log"]),
  assay_log_waiting_entries: gauge("Entries that wait for their place; counted up to 10,000.", ["log"]),
  assay_log_signed_entries: gauge("Entries of its newest signed checkpoint.", ["log"]),
  assay_log_cosigned_entries: gauge("Entries of its newest cosigned checkpoint.", ["log"]),
  assay_log_unsigned_seconds: secondsGauge(
    "Seconds since the newest checkpoint while entries wait for another; 0: none wait.",
    ["log"],
  ),
  assay_log_checkpoint_age_seconds: secondsGauge(
    "Age of the newest checkpoint; no new one is made while nothing is judged. Absent before the first.",
    ["log"],
  ),
  assay_log_refused: gauge("1: it is not signed any more, see docs/log.md.", ["log"]),
  assay_log_publish_seconds: histogram(
    "Making and storing checkpoints in this process, by outcome: ok, failed.",
    ["outcome"],
    STATEMENT,
  ),
});

const MARKET = inGroup("market", {
  assay_collector_step_seconds: histogram(
    "Steps of collecting rounds in this process, by outcome: ok, partly (something could not be had), failed.",
    ["step", "outcome"],
    STEP,
  ),
  assay_collector_step_age_seconds: secondsGauge(
    "Seconds since a step of the collection was last of use, in whichever process.",
    ["step"],
  ),
  assay_market_provider_last_success_seconds: secondsGauge(
    "Seconds since a provider answered last; absent when it has not in 24 hours.",
    ["provider"],
  ),
  assay_market_provider_requests: gauge(
    "Requests of the last 24 hours by provider and outcome: ok, or what failed.",
    ["provider", "outcome"],
  ),
  assay_market_series_age_seconds: secondsGauge(
    "Age of the newest sample: of the series of a kind that is most and least up to date.",
    ["kind", "of"],
  ),
  assay_market_set_aside: gauge("Samples kept aside in 24 hours, by kind and reason.", ["kind", "reason"]),
  assay_market_round_seconds: secondsGauge("How long the last round took.", []),
  assay_market_round_age_seconds: secondsGauge("Seconds since the last round ended.", []),
  assay_market_unpriced_tokens: gauge("Tokens without a price in the last hour.", []),
});

const PAYMENTS = inGroup("payments", {
  assay_payments: gauge("Payments in the database, by state, network and token.", [
    "state",
    "network",
    "asset",
  ]),
  assay_payment_open_age_seconds: secondsGauge(
    "Age of the oldest payment whose outcome is not known yet; 0 when there is none.",
    [],
  ),
  assay_payment_seconds: histogram(
    "From writing a payment down to its end, by the end (settled, expired).",
    ["state"],
    SETTLEMENT,
  ),
  assay_facilitator_request_seconds: histogram(
    "Requests to the facilitator, by operation and outcome (ok, refused, timeout, no_answer).",
    ["operation", "outcome"],
    FACILITATOR,
  ),
  assay_facilitator_faults_total: counter(
    "Requests that the facilitator did not answer as it should, by operation and fault.",
    ["operation", "fault"],
  ),
  assay_sign_ins_total: counter(
    "Sign-ins of payers, by outcome: opened, nothing_bought, or why it was not taken.",
    ["outcome"],
  ),
});

const PROCESSES = inGroup("processes", {
  assay_clock_ahead_seconds: secondsGauge(
    "How far the clock of this process's machine is ahead of the database's; negative: behind. 0 on SQLite.",
    [],
  ),
  assay_cache_bytes: gauge("Bytes of memory that a cache of this process keeps alive.", ["cache"]),
  assay_cache_entries: gauge("Entries of a cache of this process.", ["cache"]),
  assay_work_heartbeat_age_seconds: secondsGauge(
    "Since the process that does a work in the background was heard of; no value: never.",
    ["work"],
  ),
  assay_work_away: gauge("1: nobody does this work, by a heartbeat older than ten seconds, or none.", [
    "work",
  ]),
  assay_read_replica_used: gauge(
    "1 while the data API reads the replica; no value without one, as with its neighbours.",
    [],
  ),
  assay_read_replica_state: gauge("1 for the state of the read replica.", ["state"]),
  assay_read_replica_lag_seconds: secondsGauge(
    "At most so long ago was what the replica shows current; no value while nobody knows.",
    [],
  ),
  assay_data_reads: gauge(
    "Answers of the data API since the start, by the server that was read: replica, primary.",
    ["server"],
  ),
  assay_data_reads_failed_over: gauge(
    "Answers since the start that the replica failed and the primary gave.",
    [],
  ),
  assay_limits_shared: gauge(
    "1 while limits are counted in Redis for all processes; no value without one.",
    [],
  ),
  assay_limits_local_total: counter(
    "Requests that this process counted for itself because Redis was away.",
    [],
  ),
});

const TRACES = inGroup("traces", {
  assay_trace_spans_total: counter(
    "Spans by what became of them: exported, failed (the collector did not take them), dropped (too many waited).",
    ["outcome"],
  ),
});

export const METRICS = {
  ...HTTP,
  ...DATABASE,
  ...CHAIN,
  ...PROVIDERS,
  ...LOG,
  ...MARKET,
  ...PAYMENTS,
  ...PROCESSES,
  ...TRACES,
} satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof METRICS;
type NamesOf<Type extends MetricSpec["type"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends Type ? Name : never;
}[MetricName];
export type CounterName = NamesOf<"counter">;
export type GaugeName = NamesOf<"gauge">;
export type HistogramName = NamesOf<"histogram">;
/** The labels that a sample of it has, all of them. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]["labels"][number], string>
>;

/** The table of docs/operations.md, one line a metric. */
export function metricsTable(): string {
  const rows = Object.entries<MetricSpec>(METRICS).map(([name, { type, labels, help }]) => {
    const shown = labels.length === 0 ? name : `${name}{${labels.join(",")}}`;
    return `| \`${shown}\` | ${type} | ${help} |`;
  });
  return ["| metric | type | meaning |", "|---|---|---|", ...rows].join("\n");
}
