/** When clients fare well again, and what is missing then: of faults and of steps alike. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "./audit.ts";
import type { Load } from "./clients.ts";
import type { Meter } from "./meter.ts";

/** Nobody waits longer for recovery. */
export const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** Whether everything works again, and has for so long. */
export async function untilWell(meter: Meter, quietMs: number, since: number): Promise<boolean> {
  const until = since + PATIENCE_MS;
  while (performance.now() < until) {
    if (meter.isWell(quietMs, since)) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Holds writes up, looks, and lets them go on. @param known what was told before; grows @returns the rest */
export async function newFindings(
  load: Load,
  known: Set<string>,
  look: () => Promise<readonly Finding[]>,
): Promise<Finding[]> {
  await load.pause();
  try {
    const found = await look();
    return found.filter(({ kind, what }) => {
      const name = `${kind} ${what}`;
      const isNew = !known.has(name);
      known.add(name);
      return isNew;
    });
  } finally {
    load.resume();
  }
}
