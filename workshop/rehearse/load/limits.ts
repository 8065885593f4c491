/** Whether a key of so many requests a minute is admitted exactly so often, over all processes. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createKeys } from "../../../api/keys/keys.ts";
import type { Database } from "../../../database/open.ts";
import { APPLICANT } from "../../../test/support/http.ts";
import type { Topology } from "../topology/topology.ts";
import type { Asker } from "./ask.ts";

export const LIMIT = 20;
const EVERY_MS = 400;

/** What an api process writes into its log when it has to count for itself. */
const LOCAL_COUNTS = "Redis is away";

export interface Admitted {
  /** Answered with 200. */
  readonly admitted: number;
  /** Neither admitted nor told to wait: perhaps counted, perhaps not. */
  readonly unknown: number;
  readonly refused: number;
  /** How often a process meanwhile began to count for itself. */
  readonly local: number;
}

/** Of the minute that a key's first request began; what is asked later may be of the next one. */
const WITHIN_MS = 50_000;

/** Begins to ask with a new key, and continues through all faults; after a minute with another one. */
export async function probeLimit(db: () => Database, ask: Asker, { api }: Pick<Topology, "api">) {
  const began = performance.now();
  let key = await limitedKey(db());
  let localBefore = localCounts(api);
  let seen: Promise<number>[] = [];
  const once = () => seen.push(ask("/v1/assets", { key }).then(({ status }) => status));
  const state = { isOver: false };
  const trickle = (async () => {
    // Half of what is allowed, so that there is something left for after the fault.
    for (let n = 0; n < LIMIT / 2 && !state.isOver; n++) {
      once();
      await sleep(EVERY_MS);
    }
  })();
  return {
    /** Asks more often than the limit allows, and tells. All within the minute that its first request began. */
    async finish(): Promise<Admitted> {
      state.isOver = true;
      await trickle;
      if (performance.now() - began > WITHIN_MS) {
        [key, localBefore, seen] = [await limitedKey(db()), localCounts(api), []];
      }
      for (let n = 0; n < 2 * LIMIT; n++) once();
      const statuses = await Promise.all(seen);
      const count = (...wanted: number[]) => statuses.filter((status) => wanted.includes(status)).length;
      const [admitted, refused] = [count(200), count(429)];
      return {
        ...{ admitted, refused, unknown: statuses.length - admitted - refused },
        local: localCounts(api) - localBefore,
      };
    },
  };
}

async function limitedKey(db: Database): Promise<string> {
  const keys = createKeys({ db, now: Date.now, randomBytes });
  const { key, record } = await keys.create(APPLICANT, "the rehearsal");
  await keys.setLimit(record.id, LIMIT, "the rehearsal");
  return key;
}

const localCounts = (api: Topology["api"]): number =>
  api.reduce((count, { logFile }) => count + readFileSync(logFile, "utf8").split(LOCAL_COUNTS).length - 1, 0);

/**
 * Exact while Redis answers in time; while it does not each process counts for itself, and all together once more when it
 * is back with empty hands.
 * @param processes that count
 */
export function judgeLimit({ admitted, unknown, local }: Admitted, processes: number) {
  const most = local === 0 ? LIMIT : (processes + 1) * LIMIT;
  const parts = [
    ...(unknown > 0 ? [`${unknown} without a clear answer`] : []),
    ...(local > 0 ? [`counted by each process meanwhile, at most ${most} promised`] : []),
  ];
  return {
    text: `${admitted} of ${LIMIT}${parts.length > 0 ? ` (${parts.join("; ")})` : ""}`,
    holds: admitted <= most && admitted + unknown >= LIMIT,
  };
}
