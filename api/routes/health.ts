/** /healthz: the process lives. /readyz: it can do its work. */
import { z } from "zod";
import { PendingChange } from "../../attestor/evidence/facts.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { Problem } from "../http/problems.ts";
import { MOST_WAITING } from "../log/state.ts";
import { route } from "../route.ts";
import type { Service } from "../service.ts";

const Live = z.object({ status: z.literal("live") }).meta({ id: "Live" });
const Checks = z.object({ database: z.enum(["up", "down"]), chain: z.enum(["up", "down"]) });
const Attestation = z.object({
  signer: Address.describe("Signs certificates at the moment"),
  waiting: Address.nullable().describe("Will sign as soon as the guard names it"),
  fault: z
    .string()
    .nullable()
    .describe(
      "Why the key, kept in a token or a cloud, did not sign when it was asked last; null: it did, or is held here. Readiness does not depend on it",
    ),
});
const Seconds = z.int().min(0);
const Provider = {
  provider: z.string(),
  lastSuccessAgo: Seconds.nullable().describe("Seconds since the last useful answer; null: none in 24 hours"),
  successes: z.int().describe("Useful answers in the last 24 hours"),
  failures: z.record(z.string(), z.int()).describe("By kind: `timeout`, `status 503`"),
  excludedFor: Seconds.nullable().describe(
    "For how many seconds figures of it have been excluded: outliers, stale, or impossible; null: they count",
  ),
};
const Series = {
  kind: z.string(),
  count: z.int().describe("Series of that kind that have a sample"),
  newestAgo: Seconds.describe("Age of the newest sample, seconds"),
  oldestAgo: Seconds.describe("Age of the newest sample of the series that lags most, seconds"),
};
const SetAside = {
  kind: z.string(),
  reason: z.string(),
  count: z.int().describe("Figures excluded in the last 24 hours"),
};
const Round = {
  endedAgo: Seconds.describe("Seconds since it ended"),
  took: Seconds.describe("How long it took, seconds"),
};
const Skipped = {
  round: z.string().describe("`prices`, or `impacts of` a chain"),
  ago: Seconds.describe("Seconds since one was last left out"),
};
const Figure = {
  kind: z.string().describe("`premium`, `basis`, `listing`"),
  state: z
    .string()
    .describe(
      "Of a figure `agreed`, `single`, `disputed`; of a token in its issuer's list `listed`, `missing`, `migrated`, `halted`",
    ),
  count: z.int().describe("How many are so"),
  forAnHour: z.int().describe("Of them, those that have been so for an hour or more"),
};
const Token = z.object({ assetKey: z.string(), symbol: z.string(), issuer: z.string(), chain: z.string() });
const Market = z
  .object({
    providers: z.array(z.object(Provider)),
    series: z.array(z.object(Series)),
    setAside: z.array(z.object(SetAside)),
    round: z.object(Round).nullable().describe("The last round that ended; null before the first"),
    skipped: z
      .array(z.object(Skipped))
      .describe("Rounds that were due while the one before was still running"),
    figures: z
      .array(z.object(Figure))
      .describe("How the figures of the last hour stand, and the tokens in their issuers' lists"),
    unpriced: z.array(Token).describe("Tokens without a price in the last hour"),
  })
  .meta({
    id: "MarketStatus",
    description: "State of market collection; times are ages in seconds, counts are of the last 24 hours",
  });
const waiting = `Judgements that have no place in it yet, counted up to ${MOST_WAITING}`;
const Log = z
  .object({
    name: z.string().nullable().describe("Of the running log; null before its first entry"),
    entries: z.int().min(0).describe("Judgements that have a place in it"),
    signedEntries: z.int().min(0).describe("Of its newest signed checkpoint"),
    signedAgo: Seconds.nullable().describe(
      "Age of that checkpoint; no new one is made while nothing is judged. null: none yet",
    ),
    waiting: z.int().min(0).max(MOST_WAITING).describe(waiting),
    refused: z
      .string()
      .nullable()
      .describe("Why it is no longer signed and prepare-execution answers 503; null: it is signed"),
    fault: z
      .string()
      .nullable()
      .describe(
        "Why no process signs it at the moment and prepare-execution answers 503, such as a full disk; null: one does, or none said why",
      ),
    keyFault: z
      .string()
      .nullable()
      .describe(
        "Why the log's key, kept in a token or a cloud, did not sign when this process asked it last; null: it did, or is held here",
      ),
  })
  .meta({ id: "LogState", description: "State of the decision log. Readiness does not depend on it" });
const Parts = z
  .array(
    z.object({
      part: z.string().describe("Such as `database`, `signedPrices` or `provider/pyth`"),
      works: z.boolean(),
    }),
  )
  .meta({ id: "Parts", description: "Which parts of the service work" });
const BackgroundTasks = z
  .array(
    z.object({
      task: z.string().describe("Such as `watcher` or `log-publisher`"),
      heartbeatAgo: Seconds.nullable().describe(
        "Seconds since the last heartbeat of the process that runs it; more than ten: no process runs it. null: none ever did",
      ),
    }),
  )
  .meta({ id: "BackgroundTasks", description: "Background tasks: one process of the service runs each" });
const Clock = z
  .object({
    aheadOfDatabaseSeconds: z
      .number()
      .describe(
        "How many seconds the clock of this process's machine is ahead of the database's; negative: behind",
      ),
    differs: z.boolean().describe("Whether that is more than two seconds"),
  })
  .meta({
    id: "MachineClock",
    description: "Readiness does not depend on it: processes on PostgreSQL use the database's clock",
  });
const MOST_APART_SECONDS = 2;
const Ready = z
  .object({
    status: z.literal("ready"),
    checks: Checks,
    attestation: Attestation,
    log: Log.nullable().describe("null: could not be determined in time"),
    clock: Clock,
    parts: Parts.optional().describe("Only with `verbose`"),
    tasks: BackgroundTasks.optional().describe("Only with `verbose`"),
    market: Market.optional().describe("Only with `verbose`"),
    pendingChanges: z
      .array(PendingChange)
      .nullable()
      .optional()
      .describe("Only with `verbose`: scheduled changes of the guard; null: the chain did not tell"),
  })
  .meta({ id: "Ready" });
const ReadyQuery = z.object({
  verbose: z
    .unknown()
    .optional()
    .transform((value) => value !== undefined)
    .meta({
      description:
        "With any value, adds whether each part works, the background tasks, the state of market collection, and the guard's scheduled changes",
      override: { type: "string" },
    }),
});

export const healthRoutes = [
  route({
    path: "/healthz",
    operationId: "healthz",
    summary: "Whether the process is running",
    description: "Asks nothing of database or chain. No limit counts it.",
    tags: ["Operations"],
    auth: "public",
    addressLimit: "none",
    responses: { 200: { description: "It is running", schema: Live } },
    handle: async () => ({ status: 200, body: { status: "live" } }),
  }),
  route({
    path: "/readyz",
    operationId: "readyz",
    summary:
      "Whether the database accepts writes and the chain can be reached, which key signs, the state of the log, and how far the clock is off",
    description:
      "If not, the problem carries `checks` with each part `up` or `down`. The parts are checked at most once a second. A process that is about to end says so by a 503 without `checks`, and goes on serving until its balancer has noticed. `?verbose` adds the state of each part and since when, and the last heartbeat of each background task. It also adds the state of market collection: providers, ages, states of figures, exclusions and tokens without a price.",
    tags: ["Operations"],
    auth: "public",
    addressLimit: "none",
    responses: { 200: { description: "Both can be reached", schema: Ready } },
    errors: ["unavailable"],
    query: ReadyQuery,
    lenientQuery: true,
    async handle({ query }, service) {
      if (service.ending.aborted)
        throw new Problem("unavailable", "this process is about to end", { retryAfterSeconds: 1 });
      const { checks, databaseReason, log } = await service.health();
      const because = databaseReason === null ? "" : `; the database is unavailable: ${databaseReason}`;
      if (checks.database === "down" || checks.chain === "down")
        throw new Problem("unavailable", `the service cannot do its work at the moment${because}`, {
          members: { checks },
          retryAfterSeconds: 5,
        });
      const more = query.verbose ? await detailsOf(service) : {};
      const keyFault = service.log.signer.fault?.() ?? null;
      const keys = { attestation: service.attestation.state(), log: log && { ...log, keyFault } };
      const aheadOfDatabaseSeconds = service.clockAheadMs() / 1_000;
      const differs = Math.abs(aheadOfDatabaseSeconds) > MOST_APART_SECONDS;
      const clock = { aheadOfDatabaseSeconds, differs };
      return { status: 200, body: { status: "ready", checks, ...keys, clock, ...more } };
    },
  }),
];

const detailsOf = async (service: Service) => ({
  parts: [...(await service.parts())].map(([part, works]) => ({ part, works })),
  tasks: [...(await service.heartbeats())],
  market: await service.marketStatus(),
  // null: the chain or the database does not tell.
  pendingChanges: await service.chain.pendingChanges().catch(() => null),
});
