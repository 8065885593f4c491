/** A SQLite file without room, locked elsewhere, or gone. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { type ApiProcess, startApi } from "../../../test/support/apiProcess.ts";
import { NO_MOUNT, smallDisk } from "../../../test/support/smallDisk.ts";
import { NotHere, type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { all, apply, askFor, askPublic, saidDown, seconds, slowest, statuses, untilUp } from "../watch.ts";

const BACK_WITHIN_MS = 10_000;
const QUICK_MS = 1_000;

/** Writes fail, reads go on, /readyz says so, and it is over when the fault is. */
async function withoutWrites(
  api: ApiProcess,
  begin: () => Promise<void>,
  end: () => Promise<void>,
): Promise<Outcome> {
  const { hold, broken } = promises();
  await begin();
  const [write, reads, health, down] = await Promise.all([
    apply(api),
    askPublic(api, 3_000),
    askFor(`${api.url}/healthz`, 3_000),
    saidDown(api, 10_000),
  ]);
  hold("a write is answered 503", write.status === 503);
  hold("reads go on", all(reads, 200) && slowest(reads) < QUICK_MS);
  hold("/healthz is not held up", all(health, 200) && slowest(health) < QUICK_MS);
  hold("/readyz says that the database is down", down);
  await end();
  const back = await untilUp(api);
  hold("back within 10 s", back < BACK_WITHIN_MS);
  hold("a write is taken again", (await apply(api)).status === 202);
  return {
    clients: `writes ${write.status} after ${seconds(write.ms)}; reads ${statuses(reads)}, after ${seconds(slowest(reads))} at most`,
    recoveredAfterMs: back,
    operator: "/readyz: database down; the log: a dependency is unavailable, with SQLite's code",
    broken,
  };
}

export const fullSqlite: Rehearsal = {
  fault: "The disk under the SQLite file is full",
  async run() {
    const disk = smallDisk();
    if (disk === null) throw new NotHere(NO_MOUNT);
    const api = await startApi("pipe", { DATABASE_URL: `sqlite:${join(disk.folder, "assay.db")}` });
    api.child.stdout?.resume();
    try {
      return await withoutWrites(
        api,
        async () => disk.fill(),
        async () => disk.free(),
      );
    } finally {
      await api.remove();
      disk.remove();
    }
  },
};

export const readOnlySqlite: Rehearsal = {
  fault: "The disk under the SQLite file is read-only when a killed process starts again",
  async run() {
    const disk = smallDisk(8);
    if (disk === null) throw new NotHere(NO_MOUNT);
    const env = { DATABASE_URL: `sqlite:${join(disk.folder, "assay.db")}` };
    try {
      await (await startApi("pipe", env)).remove();
      disk.remount("ro");
      const api = await startApi("pipe", env);
      api.child.stdout?.resume();
      try {
        return await withoutWrites(
          api,
          async () => {},
          async () => disk.remount("rw"),
        );
      } finally {
        await api.remove();
      }
    } finally {
      disk.remove();
    }
  },
};

export const lockedSqlite: Rehearsal = {
  fault: "Another process holds SQLite's write lock",
  async run() {
    const api = await startApi("pipe");
    api.child.stdout?.resume();
    const script = new URL("../../../test/support/hold-lock.ts", import.meta.url);
    const holder = fork(script, [join(api.dataDir, "assay.db")]);
    try {
      return await withoutWrites(
        api,
        async () => {
          await once(holder, "message");
        },
        async () => {
          holder.send("free");
          await once(holder, "exit");
        },
      );
    } finally {
      holder.kill();
      await api.remove();
    }
  },
};

export const movedSqlite: Rehearsal = {
  fault: "The SQLite file is moved away",
  async run() {
    const api = await startApi("pipe");
    api.child.stdout?.resume();
    const [here, there] = [join(api.dataDir, "assay.db"), join(api.dataDir, "elsewhere.db")];
    try {
      return await withoutWrites(
        api,
        async () => renameSync(here, there),
        async () => renameSync(there, here),
      );
    } finally {
      await api.remove();
    }
  },
};
