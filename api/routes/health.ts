/** /healthz: the process lives. /readyz: it can do its work. */
import { z } from "zod";
import { PendingChange } from "../../attestor/evidence/facts.ts";
import { Address } from "../../attestor/values/primitives.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { AttestationState } from "../attestation/keys.ts";
import WORDS from "../docs/health.json" with { type: "json" };
import { named } from "../docs/operations.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { worded } from "../http/worded.ts";
import { MOST_WAITING } from "../log/state.ts";
import type { Health } from "../status/health.ts";
import type { Heartbeat } from "../status/heartbeats.ts";
import type { Found } from "../status/parts.ts";

// docs/health.json describes the members.
const Live = z.object({ status: z.literal("live") }).meta({ id: "Live" });
const Checks = z.object({ database: z.enum(["up", "down"]), chain: z.enum(["up", "down"]) });
const Attestation = z.object(
  worded(WORDS.Attestation, {
    signer: Address,
    waiting: Address.nullable(),
    fault: z.string().nullable(),
  }),
);
const Seconds = z.int().min(0);
const Provider = worded(WORDS.Provider, {
  provider: z.string(),
  lastSuccessAgo: Seconds.nullable(),
  successes: z.int(),
  failures: z.record(z.string(), z.int()),
  excludedFor: Seconds.nullable(),
});
const Series = worded(WORDS.Series, {
  kind: z.string(),
  count: z.int(),
  newestAgo: Seconds,
  oldestAgo: Seconds,
});
const SetAside = worded(WORDS.SetAside, { kind: z.string(), reason: z.string(), count: z.int() });
const Round = worded(WORDS.Round, { endedAgo: Seconds, took: Seconds });
const Skipped = worded(WORDS.Skipped, { round: z.string(), ago: Seconds });
const Figure = worded(WORDS.Figure, {
  kind: z.string(),
  state: z.string(),
  count: z.int(),
  forAnHour: z.int(),
});
const Token = z.object({ assetKey: z.string(), symbol: z.string(), issuer: z.string(), chain: z.string() });
const Market = z
  .object(
    worded(WORDS.Market, {
      providers: z.array(z.object(Provider)),
      series: z.array(z.object(Series)),
      setAside: z.array(z.object(SetAside)),
      round: z.object(Round).nullable(),
      skipped: z.array(z.object(Skipped)),
      figures: z.array(z.object(Figure)),
      unpriced: z.array(Token),
    }),
  )
  .meta({
    id: "MarketStatus",
    description: "State of market collection; times are ages in seconds, counts are of the last 24 hours",
  });
const waiting = `Judgements that have no place in it yet, counted up to ${MOST_WAITING}`;
const Log = z
  .object(
    worded(WORDS.Log, {
      name: z.string().nullable(),
      entries: z.int().min(0),
      signedEntries: z.int().min(0),
      signedAgo: Seconds.nullable(),
      waiting: z.int().min(0).max(MOST_WAITING).describe(waiting),
      refused: z.string().nullable(),
      fault: z.string().nullable(),
      keyFault: z.string().nullable(),
    }),
  )
  .meta({ id: "LogState", description: "State of the decision log. Readiness does not depend on it" });
const Parts = z
  .array(z.object(worded(WORDS.Part, { part: z.string(), works: z.boolean() })))
  .meta({ id: "Parts", description: "Which parts of the service work" });
const BackgroundTasks = z
  .array(z.object(worded(WORDS.BackgroundTask, { task: z.string(), heartbeatAgo: Seconds.nullable() })))
  .meta({ id: "BackgroundTasks", description: "Background tasks: one process of the service runs each" });
const Clock = z
  .object(worded(WORDS.Clock, { aheadOfDatabaseSeconds: z.number(), differs: z.boolean() }))
  .meta({
    id: "MachineClock",
    description: "Readiness does not depend on it: processes on PostgreSQL use the database's clock",
  });
const MOST_APART_SECONDS = 2;
const Ready = z
  .object(
    worded(WORDS.Ready, {
      status: z.literal("ready"),
      checks: Checks,
      attestation: Attestation,
      log: Log.nullable(),
      clock: Clock,
      parts: Parts.optional(),
      tasks: BackgroundTasks.optional(),
      market: Market.optional(),
      pendingChanges: z.array(PendingChange).nullable().optional(),
    }),
  )
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

export interface HealthDeps {
  readonly health: () => Promise<Health>;
  readonly attestation: () => AttestationState;
  /** Why the log's key did not sign when it was asked last. */
  readonly logKeyFault: () => string | null;
  /** @throws DatabaseUnavailable */
  readonly marketStatus: () => Promise<MarketStatus>;
  readonly parts: () => Promise<Found>;
  /** @throws DatabaseUnavailable */
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  /** Aborted when the process is about to end: a balancer is to send its requests elsewhere. */
  readonly ending: AbortSignal;
  /** null: the chain or the database does not tell. */
  readonly pendingChanges: () => Promise<PendingChange[] | null>;
  /** How far this machine's clock is ahead of the database's. */
  readonly clockAheadMs: () => number;
}

export function healthRoutes(deps: HealthDeps): Route[] {
  const { health, attestation, logKeyFault, marketStatus, heartbeats, ending } = deps;
  return [
    defineRoute({
      path: "/healthz",
      ...named("healthz"),
      tags: ["Operations"],
      auth: "public",
      addressLimit: "none",
      responses: { 200: { description: "It is running", schema: Live } },
      handle: async () => ({ status: 200, body: { status: "live" } }),
    }),
    defineRoute({
      path: "/readyz",
      ...named("readyz"),
      tags: ["Operations"],
      auth: "public",
      addressLimit: "none",
      responses: { 200: { description: "Both can be reached", schema: Ready } },
      errors: ["unavailable"],
      query: ReadyQuery,
      lenientQuery: true,
      async handle({ query }) {
        if (ending.aborted)
          throw new Problem("unavailable", "this process is about to end", { retryAfterSeconds: 1 });
        const { checks, databaseReason, log } = await health();
        const because = databaseReason === null ? "" : `; the database is unavailable: ${databaseReason}`;
        if (checks.database === "down" || checks.chain === "down")
          throw new Problem("unavailable", `the service cannot do its work at the moment${because}`, {
            members: { checks },
            retryAfterSeconds: 5,
          });
        const more = query.verbose
          ? {
              parts: [...(await deps.parts())].map(([part, works]) => ({ part, works })),
              tasks: [...(await heartbeats())],
              market: await marketStatus(),
              pendingChanges: await deps.pendingChanges(),
            }
          : {};
        const keys = { attestation: attestation(), log: log && { ...log, keyFault: logKeyFault() } };
        const aheadOfDatabaseSeconds = deps.clockAheadMs() / 1_000;
        const differs = Math.abs(aheadOfDatabaseSeconds) > MOST_APART_SECONDS;
        const clock = { aheadOfDatabaseSeconds, differs };
        return { status: 200, body: { status: "ready", checks, ...keys, clock, ...more } };
      },
    }),
  ];
}
