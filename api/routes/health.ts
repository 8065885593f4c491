/** /healthz: the process lives. /readyz: it can do its work. */
import { z } from "zod";
import { PendingChange } from "../../attestor/evidence/facts.ts";
import { Address } from "../../attestor/values/primitives.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { AttestationState } from "../attestation/keys.ts";
import { named } from "../docs/operations.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { MOST_WAITING } from "../log/state.ts";
import type { EngineStatus } from "../status/engines.ts";
import type { Health } from "../status/health.ts";
import type { Heartbeat } from "../status/heartbeats.ts";
import type { PartHistory } from "../status/history.ts";

const Live = z.object({ status: z.literal("live") }).meta({ id: "Live" });
const Checks = z.object({ database: z.enum(["up", "down"]), chain: z.enum(["up", "down"]) });
const Attestation = z.object({
  signer: Address.describe("Signs certificates at the moment"),
  waiting: Address.nullable().describe("Will sign as soon as the guard names it"),
  keystore: z
    .enum(["ok", "refused", "none"])
    .describe(
      "Whether the keystore file, as last seen, held a usable key; refused: the previous key keeps signing, and the log says why; none: the key does not come from a file",
    ),
  fault: z
    .string()
    .nullable()
    .describe(
      "Why the key, kept in a token or a cloud, did not sign when it was asked last; null: it did, or is held here. Readiness does not depend on it",
    ),
});
const Seconds = z.int().min(0);
const Market = z
  .object({
    providers: z.array(
      z.object({
        provider: z.string(),
        lastSuccessAgo: Seconds.nullable().describe(
          "Seconds since the last useful answer; null: none in 24 hours",
        ),
        successes: z.int().describe("Useful answers in the last 24 hours"),
        failures: z.record(z.string(), z.int()).describe("By kind: `timeout`, `status 503`"),
        excludedFor: Seconds.nullable().describe(
          "For how many seconds figures of it have been excluded: outliers, stale, or impossible; null: they count",
        ),
      }),
    ),
    series: z.array(
      z.object({
        kind: z.string(),
        count: z.int().describe("Series of that kind that have a sample"),
        newestAgo: Seconds.describe("Age of the newest sample, seconds"),
        oldestAgo: Seconds.describe("Age of the newest sample of the series that lags most, seconds"),
      }),
    ),
    setAside: z.array(
      z.object({
        kind: z.string(),
        reason: z.string(),
        count: z.int().describe("Figures excluded in the last 24 hours"),
      }),
    ),
    round: z
      .object({
        endedAgo: Seconds.describe("Seconds since it ended"),
        took: Seconds.describe("How long it took, seconds"),
      })
      .nullable()
      .describe("The last round that ended; null before the first"),
    skipped: z
      .array(
        z.object({
          round: z.string().describe("`prices`, or `impacts of` a chain"),
          ago: Seconds.describe("Seconds since one was last left out"),
        }),
      )
      .describe("Rounds that were due while the one before was still running"),
    figures: z
      .array(
        z.object({
          kind: z.string().describe("`premium`, `basis`, `listing`"),
          state: z
            .string()
            .describe(
              "Of a figure `agreed`, `single`, `disputed`; of a token in its issuer's list `listed`, `missing`, `migrated`, `halted`",
            ),
          count: z.int().describe("How many are so"),
          forAnHour: z.int().describe("Of them, those that have been so for an hour or more"),
        }),
      )
      .describe("How the figures of the last hour stand, and the tokens in their issuers' lists"),
    unpriced: z
      .array(z.object({ assetKey: z.string(), symbol: z.string(), issuer: z.string(), chain: z.string() }))
      .describe("Tokens without a price in the last hour"),
  })
  .meta({
    id: "MarketStatus",
    description: "State of market collection; times are ages in seconds, counts are of the last 24 hours",
  });
const Log = z
  .object({
    name: z.string().nullable().describe("Of the running log; null before its first entry"),
    entries: z.int().min(0).describe("Judgements that have a place in it"),
    signedEntries: z.int().min(0).describe("Of its newest signed checkpoint"),
    signedAgo: Seconds.nullable().describe(
      "Age of that checkpoint; no new one is made while nothing is judged. null: none yet",
    ),
    waiting: z
      .int()
      .min(0)
      .max(MOST_WAITING)
      .describe(`Judgements that have no place in it yet, counted up to ${MOST_WAITING}`),
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
      since: Seconds.describe("Unix seconds of the first check that found it so"),
    }),
  )
  .meta({ id: "Parts", description: "What the checks found, of which one process makes one every minute" });
const Works = z
  .array(
    z.object({
      work: z.string().describe("Such as `watcher` or `log-publisher`"),
      heartbeatAgo: Seconds.nullable().describe(
        "Seconds since the process that does it was heard of, whichever that is: more than ten say that nobody does it. null: nobody ever did",
      ),
    }),
  )
  .meta({ id: "Works", description: "Works in the background, each done by one process of the service" });
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
    description: "Readiness does not depend on it: processes on PostgreSQL go by the database's clock",
  });
const MOST_APART_SECONDS = 2;
const Engines = z
  .object({
    readReplica: z
      .object({
        state: z
          .enum(["used", "primary_away", "lagging", "away", "not_a_replica", "other_history"])
          .describe("The replica is read while `used` or `primary_away`; otherwise the primary is"),
        lagMs: z
          .int()
          .min(0)
          .nullable()
          .describe("At most so many milliseconds ago was what it shows current; null: not known"),
        reads: z
          .object({
            replica: z.int().describe("Answers that were read there"),
            primary: z.int().describe("Answers that were read on the primary"),
            failedOver: z.int().describe("Of those of the primary, the ones that the replica failed first"),
          })
          .describe("Answers of the data API since the start, by the server that was read"),
      })
      .nullable()
      .describe("null: there is none"),
    limits: z
      .object({
        counts: z
          .enum(["shared", "local"])
          .describe("Whether limits are counted for all processes, or by this one alone"),
        reason: z.string().nullable().describe("Why not for all; null: they are"),
      })
      .nullable()
      .describe("null: limits are not counted in Redis"),
  })
  .meta({
    id: "Engines",
    description:
      "The engines beside the database, as this process finds them. Readiness does not depend on them",
  });
const Ready = z
  .object({
    status: z.literal("ready"),
    checks: Checks,
    attestation: Attestation,
    log: Log.nullable().describe("null: could not be determined in time"),
    clock: Clock,
    parts: Parts.optional().describe("Only with `verbose`"),
    works: Works.optional().describe("Only with `verbose`"),
    market: Market.optional().describe("Only with `verbose`"),
    engines: Engines.optional().describe("Only with `verbose`"),
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
        "With any value, adds what the checks found of each part, the works in the background, the state of market collection and of the engines beside the database, and the scheduled changes of the guard",
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
  /** @throws DatabaseUnavailable */
  readonly parts: () => Promise<PartHistory[]>;
  /** @throws DatabaseUnavailable */
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  /** Whether the process is about to end: a balancer is to send its requests elsewhere. */
  readonly isEnding: () => boolean;
  readonly engines: () => EngineStatus;
  /** null: the chain or the database does not tell. */
  readonly pendingChanges: () => Promise<PendingChange[] | null>;
  /** How far this machine's clock is ahead of the database's. */
  readonly clockAheadMs: () => number;
}

export function healthRoutes(deps: HealthDeps): Route[] {
  const { health, attestation, logKeyFault, marketStatus, heartbeats, isEnding, engines } = deps;
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
        if (isEnding())
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
              parts: (await deps.parts()).map(({ part, works, since }) => ({ part, works, since })),
              works: [...(await heartbeats())],
              market: await marketStatus(),
              engines: engines(),
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
