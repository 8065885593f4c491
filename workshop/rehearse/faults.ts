/** The faults, in the order of the table. A new one is one more entry. */
import { cpSync, existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../build/buildOnce.ts";
import type { Database } from "../../database/open.ts";
import type { ServiceProgram, Topology } from "./topology.ts";

export interface Fault {
  /** As the table names it. */
  readonly name: string;
  /** Whether the rest goes on during the fault. Recovery then counts from its beginning, otherwise from its end. */
  readonly isSurvived: boolean;
  /** Until the supervisor restores what was killed or frozen. */
  readonly holdMs: number;
  /** @param db on the primary, without a detour */
  begin(topology: Topology, db: Database): Promise<void>;
}

/** Long enough for the balancer to act, and for clients to notice. */
const NOTICED_MS = 8_000;
/** A lease outlives its holder by some seconds. */
const TAKEN_OVER_MS = 16_000;
/** Until the balancer has a process back that was started. */
const BALANCED_MS = 2_000;

/** Not a fault: the clients alone. */
export const NO_FAULT: Fault = {
  name: "None",
  isSurvived: true,
  holdMs: 10_000,
  async begin() {},
};

export const FAULTS: readonly Fault[] = [
  {
    name: "An api process is killed",
    isSurvived: true,
    holdMs: NOTICED_MS,
    begin: ({ apis }) => apis[0]!.kill(),
  },
  {
    name: "A worker is killed",
    isSurvived: true,
    holdMs: TAKEN_OVER_MS,
    async begin(topology, db) {
      const worker = await busyWorker(topology, db);
      await worker.kill();
    },
  },
  {
    name: "The primary database is restarted",
    isSurvived: false,
    holdMs: 0,
    async begin({ primary }) {
      await primary.stop();
      await primary.start();
    },
  },
  {
    name: "A worker is frozen, and wakes when another has its work",
    isSurvived: true,
    holdMs: TAKEN_OVER_MS,
    async begin(topology, db) {
      const worker = await busyWorker(topology, db);
      worker.freeze();
    },
  },
  {
    name: "The chain's node stops",
    isSurvived: false,
    holdMs: NOTICED_MS,
    begin: async ({ chain }) => chain.freeze(),
  },
  {
    name: "Every process is replaced by a new build, one after the other",
    isSurvived: true,
    holdMs: 0,
    async begin(topology) {
      const build = newBuild(topology.folder);
      for (const service of [...topology.apis, ...topology.workers]) {
        await service.end();
        service.runFrom(build);
        await service.start();
        await sleep(BALANCED_MS);
      }
      for (const api of topology.apis) await expectVersion(api, NEW_VERSION);
    },
  },
];

/** The worker that has the most work, so that its end is noticed. */
async function busyWorker({ workers }: Topology, db: Database): Promise<ServiceProgram> {
  const leases = await db.selectFrom("leases").select("holder").execute();
  const held = ({ pid }: ServiceProgram) => {
    // Holders name the machine of their process so.
    const machine = readlinkSync(`/proc/${pid}/ns/pid`);
    return leases.filter(({ holder }) => holder.includes(machine)).length;
  };
  const [first, second] = workers as [ServiceProgram, ServiceProgram];
  return held(first) >= held(second) ? first : second;
}

const NEW_VERSION = "0.0.0-rehearsed";

/** The sources under another version, beside the packages of this one. @returns their folder */
function newBuild(folder: string): string {
  const build = join(folder, "build");
  const left = new Set([".git", "node_modules", "cache", "docs"]);
  cpSync(ROOT, build, { recursive: true, filter: (source) => !left.has(source.slice(ROOT.length + 1)) });
  const packages = join(build, "node_modules");
  if (!existsSync(packages)) symlinkSync(join(ROOT, "node_modules"), packages);
  const file = join(build, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: NEW_VERSION }));
  return build;
}

async function expectVersion({ name, url }: ServiceProgram, wanted: string): Promise<void> {
  const response = await fetch(`${url}/openapi.json`);
  const { info } = (await response.json()) as { info: { version: string } };
  if (info.version !== wanted) throw new Error(`${name} serves version ${info.version}`);
}
