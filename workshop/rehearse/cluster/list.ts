/** The faults, in the order of the table. A new one is one more entry. */
import { cpSync, existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "../topology/base.ts";
import { frozen, HOLD_MS, killed, type Scene, type WholeFault } from "./fault.ts";

const ROOT = join(import.meta.dirname, "../../..");
const NEW_BUILD = "0.0.0-rehearsed";

/** A lease outlives its holder by some seconds. */
const LONGER_MS = 2 * HOLD_MS;

const firstApi = ({ topology }: Scene): ServiceProcess => topology.api[0]!;
const chain = ({ topology }: Scene) => topology.chain;

/** The worker that has the most work, so that its end is noticed. */
async function busyWorker({ topology, db }: Scene): Promise<ServiceProcess> {
  const leases = await db.selectFrom("leases").select("holder").execute();
  const held = ({ pids }: ServiceProcess) =>
    leases.filter(({ holder }) => pids.some((pid) => holder.includes(placeOf(pid)))).length;
  return [...topology.workers].sort((a, b) => held(b) - held(a))[0]!;
}

/** As holders of leases name the machine of a process. */
const placeOf = (pid: number): string => readlinkSync(`/proc/${pid}/ns/pid`);

/** As its supervisor restarts it: at once. */
const restarted: WholeFault = {
  name: "The primary database is restarted",
  holdMs: 0,
  async begin({ topology }) {
    // PostgreSQL waits for its clients with SIGTERM, and sends them away with SIGINT.
    await topology.primary.end("SIGINT");
    await topology.primary.start();
  },
};

/** The sources under another version, beside the packages of this one. */
function newBuild({ topology }: Scene): string {
  const folder = join(topology.folder, "build");
  const left = new Set([".git", "node_modules", "cache", "docs"]);
  cpSync(ROOT, folder, { recursive: true, filter: (source) => !left.has(source.slice(ROOT.length + 1)) });
  const packages = join(folder, "node_modules");
  if (!existsSync(packages)) symlinkSync(join(ROOT, "node_modules"), packages);
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: NEW_BUILD }));
  return folder;
}

const rolled: WholeFault = {
  name: "Every process is replaced by a new build, one after the other",
  isSurvived: true,
  holdMs: 0,
  async begin(scene) {
    const build = newBuild(scene);
    for (const service of scene.topology.services) {
      const code = await service.end();
      if (code !== 0) throw new Error(`${service.name} ended with ${code}`);
      service.build = build;
      await service.start();
      // As who rolls waits until the balancer has it back.
      await sleep(2_000);
    }
  },
  async check({ topology }) {
    const versions = await Promise.all(
      topology.api.map(async ({ port }) => {
        const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as {
          info: { version: string };
        };
        return document.info.version;
      }),
    );
    return versions.every((version) => version === NEW_BUILD) ? [] : [`versions ${versions.join(", ")}`];
  },
};

export const WHOLE_FAULTS: readonly WholeFault[] = [
  killed("An api process is killed", firstApi, { isSurvived: true }),
  killed("A worker is killed", busyWorker, { isSurvived: true, holdMs: LONGER_MS }),
  restarted,
  frozen("A worker is frozen, and wakes when another has its work", busyWorker, {
    isSurvived: true,
    holdMs: LONGER_MS,
  }),
  frozen("The chain's node stops", chain),
  rolled,
];
