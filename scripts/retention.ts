/** `assay retention`: which jobs and payments are old enough to be deleted, for operators. */
import { type Kind, planRetention } from "../api/jobs/retention.ts";
import { ConfigError, parseRetention } from "../api/settings/config.ts";
import type { Environment } from "../api/settings/environment.ts";
import type { JobRetention } from "../api/settings/retention.ts";
import type { UnixMs } from "../attestor/values/time.ts";
import { migrate } from "../database/migrate.ts";
import { PlainError, UsageError, type World } from "./console.ts";
import { withDatabase } from "./withDatabase.ts";

export interface RetentionDeps {
  readonly env: Environment;
  now(): UnixMs;
}

const KINDS: Readonly<Record<Kind, { text: string; days: (retention: JobRetention) => number | null }>> = {
  oneShot: { text: "one-shot jobs, neither paid for nor executed", days: (kept) => kept.oneShotDays },
  ofKeys: { text: "jobs of API keys, neither paid for nor executed", days: (kept) => kept.jobDays },
  sold: { text: "jobs that were paid for or executed", days: (kept) => kept.soldDays },
  failedPayments: { text: "payments that failed", days: (kept) => kept.failedPaymentDays },
  rawAnswers: { text: "raw answers behind evidence", days: (kept) => kept.rawAnswerDays },
};

/**
 * @returns the exit code
 * @throws UsageError, PlainError
 */
export async function retentionCommand(args: string[], world: World, deps: RetentionDeps): Promise<number> {
  if (args.length !== 1 || args[0] !== "--plan") throw new UsageError("retention needs --plan");
  const { databaseUrl, retention } = settingsOf(deps.env);
  return await withDatabase(databaseUrl.reveal(), world, async (db) => {
    await migrate(db);
    for (const { kind, count, oldest } of await planRetention(db, retention, Math.floor(deps.now() / 1000))) {
      const { text, days } = KINDS[kind];
      const kept = days(retention);
      const since =
        oldest === null ? "" : `, the oldest of ${new Date(oldest * 1000).toISOString().slice(0, 10)}`;
      world.out(
        `${count.toLocaleString("en-US")} ${text}${since} (kept ${kept === null ? "for ever" : `for ${kept} days`})`,
      );
    }
    return 0;
  });
}

function settingsOf(env: Environment) {
  try {
    return parseRetention(env);
  } catch (error) {
    if (error instanceof ConfigError) throw new PlainError(error.message);
    throw error;
  }
}
