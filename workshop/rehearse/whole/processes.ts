/** Processes of the service that are killed, frozen and replaced. */
import { cpSync, existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "../shape/shape.ts";
import type { Scene, WholeFault } from "./fault.ts";
import { HOLD_MS } from "./fault.ts";

const ROOT = join(import.meta.dirname, "../../..");
const NEW_BUILD = "0.0.0-rehearsed";

const common = { isSurvived: true, holdMs: HOLD_MS } as const;

const api = ({ shape }: Scene): ServiceProcess => shape.api[0]!;

export const killedApi: WholeFault = {
  ...common,
  name: "An api process is killed",
  isShort: true,
  begin: (scene) => api(scene).kill(),
  end: (scene) => api(scene).start(),
};

export const frozenApi: WholeFault = {
  ...common,
  name: "An api process is frozen",
  isShort: false,
  begin: async (scene) => api(scene).freeze(),
  end: async (scene) => api(scene).thaw(),
};

/** The worker that has the most work, so that its end is noticed. */
let chosen: ServiceProcess | null = null;

async function busyWorker({ shape, db }: Scene): Promise<ServiceProcess> {
  const leases = await db().selectFrom("leases").select("holder").execute();
  const held = ({ pids }: ServiceProcess) =>
    leases.filter(({ holder }) => pids.some((pid) => holder.includes(placeOf(pid)))).length;
  chosen = [...shape.workers].sort((a, b) => held(b) - held(a))[0]!;
  return chosen;
}

/** As holders of leases name the machine of a process. */
const placeOf = (pid: number): string => readlinkSync(`/proc/${pid}/ns/pid`);

export const killedWorker: WholeFault = {
  ...common,
  name: "A worker is killed",
  isShort: false,
  // A lease outlives its holder by some seconds.
  holdMs: 2 * HOLD_MS,
  begin: async (scene) => {
    await (await busyWorker(scene)).kill();
  },
  end: async () => {
    await chosen?.start();
  },
};

export const frozenWorker: WholeFault = {
  ...common,
  name: "A worker is frozen, and wakes when another has its work",
  isShort: true,
  holdMs: 2 * HOLD_MS,
  begin: async (scene) => (await busyWorker(scene)).freeze(),
  end: async () => chosen?.thaw(),
};

export const killedWorkers: WholeFault = {
  ...common,
  name: "Both workers are killed",
  isShort: false,
  isSurvived: false,
  begin: async ({ shape }) => {
    await Promise.all(shape.workers.map((worker) => worker.kill()));
  },
  end: async ({ shape }) => {
    await Promise.all(shape.workers.map((worker) => worker.start()));
  },
};

/** The sources under another version, beside the packages of this one. */
function newBuild({ shape }: Scene): string {
  const folder = join(shape.folder, "build");
  const left = new Set([".git", "node_modules", "cache", "artifacts", "docs", "bench"]);
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (source) => !left.has(source.slice(ROOT.length + 1)),
  });
  const packages = join(folder, "node_modules");
  if (!existsSync(packages)) symlinkSync(join(ROOT, "node_modules"), packages);
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: NEW_BUILD }));
  return folder;
}

export const rolled: WholeFault = {
  ...common,
  name: "Every process is replaced by a new build, one after the other",
  isShort: false,
  holdMs: 0,
  async begin(scene) {
    const build = newBuild(scene);
    for (const service of scene.shape.services) {
      const code = await service.end();
      if (code !== 0) throw new Error(`${service.name} ended with ${code}`);
      service.build = build;
      await service.start();
      // As who rolls waits until the balancer has it back.
      await sleep(2_000);
    }
  },
  end: async () => {},
  async check({ shape }) {
    const versions = await Promise.all(
      shape.api.map(async ({ port }) => {
        const document = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as {
          info: { version: string };
        };
        return document.info.version;
      }),
    );
    return versions.every((version) => version === NEW_BUILD) ? [] : [`versions ${versions.join(", ")}`];
  },
};
