/** Whether a key of so many requests a minute is admitted exactly so often, over all processes. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createKeys } from "../../../api/keys/keys.ts";
import type { Database } from "../../../database/open.ts";
import { APPLICANT } from "../../../test/support/http.ts";
import type { Asker } from "./ask.ts";

export const LIMIT = 20;
const EVERY_MS = 400;

export interface Admitted {
  /** Answered with 200. */
  readonly admitted: number;
  /** Neither admitted nor told to wait: perhaps counted, perhaps not. */
  readonly unknown: number;
  readonly refused: number;
}

export interface LimitProbe {
  /** Asks more often than the limit allows, and tells. All within the minute that its first request began. */
  finish(): Promise<Admitted>;
}

/** Begins to ask with a new key, and goes on through whatever comes. */
export async function probeLimit(db: Database, ask: Asker): Promise<LimitProbe> {
  const keys = createKeys({ db, now: Date.now, randomBytes });
  const { key, record } = await keys.create(APPLICANT, "the rehearsal");
  await keys.setLimit(record.id, LIMIT, "the rehearsal");
  const seen: Promise<number>[] = [];
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
    async finish() {
      state.isOver = true;
      await trickle;
      for (let n = 0; n < 2 * LIMIT; n++) once();
      const statuses = await Promise.all(seen);
      const count = (...wanted: number[]) => statuses.filter((status) => wanted.includes(status)).length;
      const [admitted, refused] = [count(200), count(429)];
      return { admitted, refused, unknown: statuses.length - admitted - refused };
    },
  };
}

/** @returns what is told of it, and whether the limit was exact as far as answers show */
export function judgeLimit({ admitted, unknown }: Admitted): { readonly text: string; readonly isExact: boolean } {
  const isExact = admitted <= LIMIT && admitted + unknown >= LIMIT;
  return { text: `${admitted} of ${LIMIT}${unknown > 0 ? ` (${unknown} without a clear answer)` : ""}`, isExact };
}
