/** `assay retention`: which jobs and payments are old enough to be deleted, for operators. */
import { type Kind, planRetention } from "../api/jobs/retention.ts";
import { parseRetention } from "../api/settings/config.ts";
import type { JobRetention } from "../api/settings/retention.ts";
import { command, flag } from "./command.ts";
import { DATABASE_SETTINGS, withOwnTables } from "./database.ts";
import { EXIT, UsageError } from "./errors.ts";
import { JSON_OPTION, show } from "./json.ts";

const KINDS: Readonly<Record<Kind, { text: string; days(kept: JobRetention): number | null }>> = {
  oneShot: { text: "one-shot jobs, neither paid for nor executed", days: (kept) => kept.oneShotDays },
  ofKeys: { text: "jobs of API keys, neither paid for nor executed", days: (kept) => kept.jobDays },
  sold: { text: "jobs that were paid for or executed", days: (kept) => kept.soldDays },
  failedPayments: { text: "payments that failed", days: (kept) => kept.failedPaymentDays },
};

export const retention = command({
  summary: "Show which jobs and payments are old enough to be deleted; changes nothing",
  options: { plan: flag("show how many there are of each kind; required"), ...JSON_OPTION },
  notes: [
    "The service deletes them itself, every ten minutes, two thousand of each kind at a time.",
    DATABASE_SETTINGS,
    "RETENTION_ONE_SHOT_DAYS, RETENTION_JOB_DAYS, RETENTION_SOLD_DAYS, RETENTION_FAILED_PAYMENT_DAYS: a number of days, or forever.",
  ],
  run: async ({ plan, json }, world) => {
    if (!plan) throw new UsageError("retention needs --plan");
    const { databaseUrl, retention: kept } = parseRetention(world.env);
    return await withOwnTables(databaseUrl.reveal(), world, async (db) => {
      const now = Math.floor(world.now() / 1000);
      const planned = await planRetention(db, kept, now);
      const rows = planned.map((one) => ({ ...one, keptDays: KINDS[one.kind].days(kept) }));
      show(world, json, rows, rows.map(lineOf));
      return EXIT.ok;
    });
  },
});

type Planned = Awaited<ReturnType<typeof planRetention>>[number];

function lineOf({ kind, count, oldest, keptDays }: Planned & { keptDays: number | null }): string {
  const since =
    oldest === null ? "" : `, the oldest of ${new Date(oldest * 1000).toISOString().slice(0, 10)}`;
  const time = keptDays === null ? "for ever" : `for ${keptDays} days`;
  return `${count.toLocaleString("en-US")} ${KINDS[kind].text}${since} (kept ${time})`;
}
