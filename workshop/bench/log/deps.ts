/** A log without the rest of the service. */
import { randomBytes } from "node:crypto";
import { lastWordsIn } from "../../../api/log/files.ts";
import { developmentLogSigner } from "../../../api/log/key.ts";
import { createLog } from "../../../api/log/log.ts";
import { PUBLISHING } from "../../../api/log/state.ts";
import { createWitnesses } from "../../../api/log/witnesses.ts";
import { createLogger } from "../../../api/metrics/logger.ts";
import { createCaches } from "../../../chain/caches.ts";
import { takeLease } from "../../../database/lease.ts";
import type { Database } from "../../../database/open.ts";

export const BASE = "bench.localhost/log";

/** Signs what has its place. @param folder for the last word */
export async function signAll(db: Database, folder: string): Promise<void> {
  const log = createLog({
    db,
    caches: createCaches(() => performance.now()),
    base: BASE,
    signer: developmentLogSigner(),
    lastWords: lastWordsIn(folder),
    witnesses: createWitnesses(fetch),
    asked: [],
    patienceMs: 60_000,
    clock: Date.now,
    log: createLogger({ level: "warn" }),
  });
  const holder = randomBytes(8).toString("hex");
  const fence = await takeLease({ db, holder, ttlMs: 600_000, now: Date.now }, PUBLISHING);
  if (fence === null) throw new Error("another process signs");
  await log.publish(fence).stop();
  const { size, signedSize, refused } = await log.state();
  if (refused !== null || signedSize !== size) throw new Error(`the log is not signed: ${refused}`);
}
