/**
 * A log whose file of last words is gone may have been restored from a backup, and what it signed since is then known to
 * its witnesses alone. Nobody else can say that the database is not older than the log.
 */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Logger } from "../metrics/logger.ts";
import type { WitnessSetting } from "../settings/logSettings.ts";
import type { LastWords } from "./files.ts";
import type { LogTree } from "./logTree.ts";
import type { Word } from "./vet.ts";

/** How each reason begins. */
export const LOST = "the file of its last checkpoint is missing, as after a restore from a backup";
/** Until witnesses are asked again. */
const ASK_EVERY_MS = 15_000;

/** Why this process cannot sign, from the moment at which it found out until the file is there, or witnesses are to be asked again. */
export function rememberLost(deps: {
  readonly lastWords: Pick<LastWords, "has">;
  readonly asked: readonly WitnessSetting[];
  clock(): UnixMs;
  readonly log: Logger;
}) {
  let lost: { readonly origin: string; readonly why: string; readonly until: number } | null = null;
  return {
    note({ origin }: Pick<LogTree, "origin">, why: string): void {
      if (lost?.why !== why) deps.log.error({ log: origin, why }, "the decision log is not signed");
      const until = deps.asked.length === 0 ? Number.POSITIVE_INFINITY : deps.clock() + ASK_EVERY_MS;
      lost = { origin, why, until };
    },
    fault: (): string | null =>
      lost !== null && deps.clock() < lost.until && !deps.lastWords.has(lost.origin) ? lost.why : null,
  };
}

/**
 * Of a log without the file.
 * @param seen by each of those asked: what it cosigned last, null for nothing, undefined where it could not be asked
 * @returns why it must not be signed, the end of a sentence; null: a witness says what it signed, or it never signed entries
 */
export function lostWord(
  { signed_size }: Pick<LogTree, "signed_size">,
  asked: readonly WitnessSetting[],
  seen: readonly (Word | null | undefined)[],
): string | null {
  if (signed_size === 0) return null;
  const silent = asked.filter((_, n) => seen[n] === undefined).map(({ key }) => key.name);
  if (silent.length > 0) return `${LOST}, and ${silent.join(", ")} cannot be asked what it cosigned`;
  if (seen.some((word) => word !== null)) return null;
  return `${LOST}, and no witness saw it (assay log supersede)`;
}
