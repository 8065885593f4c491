/** Clients of a rehearsal: their begin, when they fare well again, and what is missing then. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { listedAssets } from "../../../api/data/listing.ts";
import { createKeys } from "../../../api/keys/keys.ts";
import type { Database } from "../../../database/open.ts";
import { backfillLocalMarket } from "../../../devnet/market/sources.ts";
import { APPLICANT } from "../../../test/support/http.ts";
import type { Topology } from "../topology/topology.ts";
import { audit, type Finding, incomeOf } from "./audit.ts";
import { startLoad } from "./clients.ts";
import { createLedger } from "./ledger.ts";
import { createMeter, type Meter } from "./meter.ts";
import { policyAt } from "./world.ts";

type Served = Pick<Topology, "url" | "deployment" | "provider">;

export type Clients = Awaited<ReturnType<typeof openClients>>;

export async function openClients(topology: Served, db: Database, say: (line: string) => void) {
  const { key } = await createKeys({ db, now: Date.now, randomBytes }).create(APPLICANT, "the rehearsal");
  say("filling the market's history");
  const { deployment, provider } = topology;
  await backfillLocalMarket(db, { deployment, provider, assets: listedAssets(deployment), now: Date.now });
  const policyId = policyAt(Math.floor(Date.now() / 1_000));
  say(`trades are judged under ${policyId}`);
  const [ledger, meter] = [createLedger(), createMeter(() => performance.now())];
  const paidBefore = await incomeOf(topology);
  const load = startLoad({ topology, meter, ledger, key, policyId });
  // Payments that were already reported as missing.
  const known = new Set<string>();
  return { load, ledger, meter, paidBefore, known };
}

/** Nobody waits longer for recovery. */
export const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 200;

export async function untilWell(meter: Meter, quietMs: number, since: number): Promise<boolean> {
  const until = since + PATIENCE_MS;
  while (performance.now() < until) {
    if (meter.isWell(quietMs, since)) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

/** Holds writes up, looks for everything that was acknowledged, and lets them go on. @returns what was not told before */
export async function auditNow(
  { load, known, ledger, paidBefore }: Clients,
  topology: Served,
  db: Database,
): Promise<Finding[]> {
  await load.pause();
  try {
    const found = await audit(topology, db, ledger, paidBefore);
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

export const countOf = (findings: readonly Finding[], kind: Finding["kind"]): number =>
  findings.filter((found) => found.kind === kind).length;
