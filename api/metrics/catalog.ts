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

const HTTP = {
  assay_http_request_seconds: {
    type: "histogram",
    help: "Answers by route, method and class of status; aborted: the client left before its end.",
    labels: ["method", "route", "status"],
    unit: "seconds",
    group: "http",
    buckets: ANSWER,
  },
  assay_http_requests_in_flight: {
    type: "gauge",
    help: "Requests that are being answered.",
    labels: [],
    unit: null,
    group: "http",
  },
} as const;

const DATABASE = {
  assay_database_up: {
    type: "gauge",
    help: "1: what the database holds could be read for this answer. 0: metrics of it have no values.",
    labels: [],
    unit: null,
    group: "database",
  },
  assay_database_statement_seconds: {
    type: "histogram",
    help: "Statements by kind (acquire: waiting for a connection of the pool) and outcome: ok, refused, unavailable.",
    labels: ["operation", "outcome"],
    unit: "seconds",
    group: "database",
    buckets: STATEMENT,
  },
  assay_database_connections: {
    type: "gauge",
    help: "Connections of this process by state: used, idle. On SQLite the one that writes.",
    labels: ["state"],
    unit: null,
    group: "database",
  },
  assay_database_waiting: {
    type: "gauge",
    help: "Who waits for a connection in this process; on SQLite for its turn to write.",
    labels: [],
    unit: null,
    group: "database",
  },
} as const;

const CHAIN = {
  assay_rpc_request_seconds: {
    type: "histogram",
    help: "Requests to nodes by method and outcome: ok, reverted, refused, no_answer.",
    labels: ["method", "outcome"],
    unit: "seconds",
    group: "chain",
    buckets: REQUEST,
  },
} as const;

const PROVIDERS = {
  assay_provider_request_seconds: {
    type: "histogram",
    help: "Attempts that were sent to providers, by outcome: ok, or the fault.",
    labels: ["provider", "outcome"],
    unit: "seconds",
    group: "providers",
    buckets: REQUEST,
  },
  assay_provider_refusals_total: {
    type: "counter",
    help: "Requests that were not sent: rate_limited (the provider locked us out), circuit_open.",
    labels: ["provider", "reason"],
    unit: null,
    group: "providers",
  },
} as const;

const LOG = {
  assay_log_entries: {
    type: "gauge",
    help: "Entries of the running decision log that have their place.",
    labels: ["log"],
    unit: null,
    group: "log",
  },
  assay_log_waiting_entries: {
    type: "gauge",
    help: "Entries that wait for their place; counted up to 10,000.",
    labels: ["log"],
    unit: null,
    group: "log",
  },
  assay_log_signed_entries: {
    type: "gauge",
    help: "Entries of its newest signed checkpoint.",
    labels: ["log"],
    unit: null,
    group: "log",
  },
  assay_log_cosigned_entries: {
    type: "gauge",
    help: "Entries of its newest cosigned checkpoint.",
    labels: ["log"],
    unit: null,
    group: "log",
  },
  assay_log_unsigned_seconds: {
    type: "gauge",
    help: "Seconds since the newest checkpoint while entries wait for another; 0: none wait.",
    labels: ["log"],
    unit: "seconds",
    group: "log",
  },
  assay_log_checkpoint_age_seconds: {
    type: "gauge",
    help: "Age of the newest checkpoint; no new one is made while nothing is judged. Absent before the first.",
    labels: ["log"],
    unit: "seconds",
    group: "log",
  },
  assay_log_refused: {
    type: "gauge",
    help: "1: it is not signed any more, see docs/log.md.",
    labels: ["log"],
    unit: null,
    group: "log",
  },
  assay_log_publish_seconds: {
    type: "histogram",
    help: "Making and storing checkpoints in this process, by outcome: ok, failed.",
    labels: ["outcome"],
    unit: "seconds",
    group: "log",
    buckets: STATEMENT,
  },
} as const;

const MARKET = {
  assay_collector_step_seconds: {
    type: "histogram",
    help: "Steps of collecting rounds in this process, by outcome: ok, partly (something could not be had), failed.",
    labels: ["step", "outcome"],
    unit: "seconds",
    group: "market",
    buckets: STEP,
  },
  assay_collector_step_age_seconds: {
    type: "gauge",
    help: "Seconds since a step of the collection was last of use, in whichever process.",
    labels: ["step"],
    unit: "seconds",
    group: "market",
  },
  assay_market_provider_last_success_seconds: {
    type: "gauge",
    help: "Seconds since a provider answered last; absent when it has not in 24 hours.",
    labels: ["provider"],
    unit: "seconds",
    group: "market",
  },
  assay_market_provider_requests: {
    type: "gauge",
    help: "Requests of the last 24 hours by provider and outcome: ok, or what failed.",
    labels: ["provider", "outcome"],
    unit: null,
    group: "market",
  },
  assay_market_series_age_seconds: {
    type: "gauge",
    help: "Age of the newest sample: of the series of a kind that is most and least up to date.",
    labels: ["kind", "of"],
    unit: "seconds",
    group: "market",
  },
  assay_market_set_aside: {
    type: "gauge",
    help: "Samples kept aside in 24 hours, by kind and reason.",
    labels: ["kind", "reason"],
    unit: null,
    group: "market",
  },
  assay_market_round_seconds: {
    type: "gauge",
    help: "How long the last round took.",
    labels: [],
    unit: "seconds",
    group: "market",
  },
  assay_market_round_age_seconds: {
    type: "gauge",
    help: "Seconds since the last round ended.",
    labels: [],
    unit: "seconds",
    group: "market",
  },
  assay_market_unpriced_tokens: {
    type: "gauge",
    help: "Tokens without a price in the last hour.",
    labels: [],
    unit: null,
    group: "market",
  },
} as const;

const PAYMENTS = {
  assay_payments: {
    type: "gauge",
    help: "Payments in the database, by state, network and token.",
    labels: ["state", "network", "asset"],
    unit: null,
    group: "payments",
  },
  assay_payment_open_age_seconds: {
    type: "gauge",
    help: "Age of the oldest payment whose outcome is not known yet; 0 when there is none.",
    labels: [],
    unit: "seconds",
    group: "payments",
  },
  assay_payment_seconds: {
    type: "histogram",
    help: "From writing a payment down to its end, by the end (settled, expired).",
    labels: ["state"],
    unit: "seconds",
    group: "payments",
    buckets: SETTLEMENT,
  },
  assay_facilitator_request_seconds: {
    type: "histogram",
    help: "Requests to the facilitator, by operation and outcome (ok, refused, timeout, no_answer).",
    labels: ["operation", "outcome"],
    unit: "seconds",
    group: "payments",
    buckets: FACILITATOR,
  },
  assay_facilitator_faults_total: {
    type: "counter",
    help: "Requests that the facilitator did not answer as it should, by operation and fault.",
    labels: ["operation", "fault"],
    unit: null,
    group: "payments",
  },
  assay_sign_ins_total: {
    type: "counter",
    help: "Sign-ins of payers, by outcome: opened, nothing_bought, or why it was not taken.",
    labels: ["outcome"],
    unit: null,
    group: "payments",
  },
} as const;

const PROCESSES = {
  assay_work_heartbeat_age_seconds: {
    type: "gauge",
    help: "Since the process that does a work in the background was heard of; no value: never.",
    labels: ["work"],
    unit: "seconds",
    group: "processes",
  },
  assay_work_away: {
    type: "gauge",
    help: "1: nobody does this work, by a heartbeat older than ten seconds, or none.",
    labels: ["work"],
    unit: null,
    group: "processes",
  },
  assay_read_replica_used: {
    type: "gauge",
    help: "1 while the data API reads the replica; no value without one, as with its neighbours.",
    labels: [],
    unit: null,
    group: "processes",
  },
  assay_read_replica_state: {
    type: "gauge",
    help: "1 for the state of the read replica.",
    labels: ["state"],
    unit: null,
    group: "processes",
  },
  assay_read_replica_lag_seconds: {
    type: "gauge",
    help: "At most so long ago was what the replica shows current; no value while nobody knows.",
    labels: [],
    unit: "seconds",
    group: "processes",
  },
  assay_data_reads: {
    type: "gauge",
    help: "Answers of the data API since the start, by the server that was read: replica, primary.",
    labels: ["server"],
    unit: null,
    group: "processes",
  },
  assay_data_reads_failed_over: {
    type: "gauge",
    help: "Answers since the start that the replica failed and the primary gave.",
    labels: [],
    unit: null,
    group: "processes",
  },
  assay_limits_shared: {
    type: "gauge",
    help: "1 while limits are counted in Redis for all processes; no value without one.",
    labels: [],
    unit: null,
    group: "processes",
  },
  assay_limits_local_total: {
    type: "counter",
    help: "Requests that this process counted for itself because Redis was away.",
    labels: [],
    unit: null,
    group: "processes",
  },
} as const;

const TRACES = {
  assay_trace_spans_total: {
    type: "counter",
    help: "Spans by what became of them: exported, failed (the collector did not take them), dropped (too many waited).",
    labels: ["outcome"],
    unit: null,
    group: "traces",
  },
} as const;

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
} as const satisfies Record<string, MetricSpec>;

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
