/** A log that cannot be written. */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiProcess, startApi } from "../../../test/support/apiProcess.ts";
import { NO_MOUNT, smallDisk } from "../../../test/support/smallDisk.ts";
import { NotHere, type Outcome, promises, type Rehearsal } from "../rehearsal.ts";
import { all, askFor, type Seen, seconds, slowest, statuses } from "../watch.ts";

const QUICK_MS = 1_000;
const ENDS_WITHIN_MS = 10_000;

async function ended(api: ApiProcess, seen: readonly Seen[], toldLater: boolean | null): Promise<Outcome> {
  const { hold, broken } = promises();
  hold("requests are answered as ever", all(seen, 200) && slowest(seen) < QUICK_MS);
  if (toldLater !== null) hold("the log tells how many lines were lost", toldLater);
  hold("the process ends when it is told to", (await api.end(ENDS_WITHIN_MS))?.[0] === 0);
  return {
    clients: `nothing: ${seen.length} requests ${statuses(seen)}, after ${seconds(slowest(seen))} at most`,
    recoveredAfterMs: null,
    operator: "the log: lines of the log were lost, with their number, once it can be written",
    broken,
  };
}

export const fullLog: Rehearsal = {
  fault: "The disk under the log file is full",
  async run() {
    const disk = smallDisk();
    if (disk === null) throw new NotHere(NO_MOUNT);
    const file = join(disk.folder, "assay.log");
    const log = openSync(file, "a");
    const api = await startApi(log);
    try {
      disk.fill();
      const seen = await askFor(`${api.url}/healthz`, 3_000, 2);
      disk.free();
      await askFor(`${api.url}/healthz`, 500);
      const told = readFileSync(file, "utf8").includes("lines of the log were lost");
      return await ended(api, seen, told);
    } finally {
      await api.remove();
      closeSync(log);
      disk.remove();
    }
  },
};

export const unreadLog: Rehearsal = {
  fault: "Nobody reads the pipe that the log goes to",
  async run() {
    const api = await startApi("pipe");
    api.child.stdout?.pause();
    try {
      return await ended(api, await askFor(`${api.url}/healthz`, 5_000, 0), null);
    } finally {
      await api.remove();
    }
  },
};
