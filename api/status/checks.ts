/** Checks the parts of the service every minute, in one process of several, and keeps what it found. */
import { LeaseLost } from "../../database/lease.ts";
import type { Database } from "../../database/open.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { dayNumber, HISTORY_DAYS, storeChecks, type Tally } from "./history.ts";
import { type Found, findParts, type PartSources } from "./parts.ts";

const CHECK_EVERY_MS = 60_000;
const NOTHING: Found = new Map();

export interface ChecksDeps extends PartSources {
  /** `db` for as long as this process has the lease. */
  readonly leased: Database;
  readonly log: { warn(details: object, message: string): void };
}

type Tallies = Map<string, Tally>;

/** Without a schedule. */
export function createChecks(deps: ChecksDeps) {
  const { db, leased, now, log } = deps;
  let pending: Tallies = new Map();
  /** Of them, what was found while the database was away: nobody else could have the lease then. */
  let outage: Tallies = new Map();

  const store = async (found: Found, at: number): Promise<void> => {
    try {
      await storeChecks(leased, [...pending.values()], found, at);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      // What this very check found is another's business now. What nobody else saw is added all the same, once.
      await storeChecks(db, [...outage.values()], NOTHING, at);
    }
    pending = new Map();
    outage = new Map();
  };

  const seconds = () => Math.floor(now() / 1_000);

  return {
    /** One check. While the database is away it is kept in mind, and stored with the first that finds it back. */
    async round() {
      const found = await findParts(deps);
      const at = seconds();
      note(pending, found, at);
      if (found.get("database") === false) note(outage, found, at);
      try {
        await store(found, at);
      } catch (error) {
        log.warn({ err: error }, "what the checks found could not be stored; will try again");
      }
    },
    /** Stores what could not be stored yet, if that is possible. */
    end: () => store(NOTHING, seconds()).catch(() => {}),
  };
}

function note(tallies: Tallies, found: Found, at: number): void {
  const day = dayNumber(at);
  for (const [part, works] of found) {
    const key = `${day} ${part}`;
    const { good, bad } = tallies.get(key) ?? { good: 0, bad: 0 };
    tallies.set(key, { part, day, good: good + (works ? 1 : 0), bad: bad + (works ? 0 : 1) });
  }
  for (const [key, tally] of tallies) if (tally.day <= day - HISTORY_DAYS) tallies.delete(key);
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
