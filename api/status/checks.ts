/** Checks the parts of the service every minute, in one process of several, and keeps what it found. */
import { acquireLease, releaseLease } from "../../market/collect/lease.ts";
import { type Repeated, repeat } from "../jobs/repeat.ts";
import { dayNumber, HISTORY_DAYS, storeChecks, type Tally } from "./history.ts";
import { type Found, findParts, type PartSources } from "./parts.ts";

const CHECK_EVERY_MS = 60_000;
const LEASE_MS = 3 * CHECK_EVERY_MS;
const NOTHING: Found = new Map();

export interface ChecksDeps extends PartSources {
  /** Tells this process from others on the database. */
  readonly holder: string;
  readonly log: { warn(details: object, message: string): void };
}

export interface Checks {
  /** One check. While the database is away it is kept in mind, and stored with the first that finds it back. */
  round(): Promise<void>;
  /** Gives the lease back. */
  end(): Promise<void>;
}

/** Without a schedule. */
export function createChecks(deps: ChecksDeps): Checks {
  const { db, holder, now, log } = deps;
  const lease = { db, name: "status", holder, ttlMs: LEASE_MS, now };
  let pending = new Map<string, Tally>();
  // Who had the lease goes on counting while the database, which could say otherwise, is away.
  let leads = false;

  function note(found: Found, at: number): void {
    const day = dayNumber(at);
    for (const [part, works] of found) {
      const key = `${day} ${part}`;
      const { good, bad } = pending.get(key) ?? { good: 0, bad: 0 };
      pending.set(key, { part, day, good: good + (works ? 1 : 0), bad: bad + (works ? 0 : 1) });
    }
    for (const [key, tally] of pending) if (tally.day <= day - HISTORY_DAYS) pending.delete(key);
  }

  return {
    async round() {
      try {
        leads = await acquireLease(lease);
      } catch {
        // The check below finds the database down.
      }
      const found = leads ? await findParts(deps) : NOTHING;
      const at = Math.floor(now() / 1_000);
      note(found, at);
      try {
        // Who lost the lease during an outage still has what nobody else saw.
        await storeChecks(db, [...pending.values()], found, at);
        pending = new Map();
      } catch (error) {
        log.warn({ err: error }, "what the checks found could not be stored; will try again");
      }
    },
    end: () => releaseLease(lease).catch(() => {}),
  };
}

/** The first check is a minute after the start: what has just begun says little. */
export function startChecks(deps: ChecksDeps): Pick<Repeated, "stop"> {
  const checks = createChecks(deps);
  let begun = false;
  const rounds = repeat(async () => {
    if (begun) await checks.round();
    begun = true;
  }, CHECK_EVERY_MS);
  return {
    async stop() {
      await rounds.stop();
      await checks.end();
    },
  };
}
