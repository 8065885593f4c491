/**
 * The part of systemctl that needs a running systemd: start, stop and restart of the units under /etc, with their
 * drop-ins, user, settings, credentials and state folder, without the sandbox. All else is the real one's.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { until } from "../support/until.ts";

const UNITS = "/etc/systemd/system";
const PIDS = "/run/units";

class Refused extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** The lists of [Service], an empty assignment beginning anew. */
function serviceOf(name: string): (key: string) => string[] {
  const [, prefix = "", instance = ""] = /^([^@]+)@(.+)$/.exec(name) ?? [];
  const file = `${UNITS}/${instance ? `${prefix}@` : name}.service`;
  if (!existsSync(file)) throw new Refused(`Unit ${name}.service not found.`, 5);
  const dropIns = `${UNITS}/${name}.service.d`;
  const files = [
    file,
    ...(existsSync(dropIns) ? readdirSync(dropIns).map((conf) => `${dropIns}/${conf}`) : []),
  ];
  const values = new Map<string, string[]>();
  for (const text of files.map((path) => readFileSync(path, "utf8"))) {
    let section = "";
    for (const line of text.split("\n").filter((each) => !each.startsWith("#"))) {
      section = /^\[(.+)\]$/.exec(line)?.[1] ?? section;
      const [, key, value] = (section === "Service" && /^(\w+)=(.*)$/.exec(line)) || [];
      if (key === undefined || value === undefined) continue;
      const expanded = value.replaceAll("%i", instance).replaceAll("%d", `/run/credentials/${name}.service`);
      values.set(key, value === "" ? [] : [...(values.get(key) ?? []), expanded]);
    }
  }
  return (key) => values.get(key) ?? [];
}

const run = (command: string, ...args: string[]) => {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Refused(`${command} ${args.join(" ")}: ${stderr}`, 1);
};

function settingsOf(list: (key: string) => string[]): Record<string, string> {
  const files = list("EnvironmentFile").flatMap((given) => {
    const path = given.replace(/^-/, "");
    if (existsSync(path)) return readFileSync(path, "utf8").split("\n");
    if (given.startsWith("-")) return [];
    throw new Refused(`Failed to load environment files: ${path}`, 1);
  });
  const lines = [...list("Environment").flatMap((line) => line.split(/\s+/)), ...files];
  return Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

function start(name: string): void {
  const list = serviceOf(name);
  const one = (key: string) => list(key).at(-1) ?? "";
  const [user, group] = [one("User"), one("Group")];
  const credentials = `/run/credentials/${name}.service`;
  run("install", "-d", "-o", user, "-g", group, "-m", "0500", credentials);
  for (const [id, path] of list("LoadCredential").map((given) => given.split(":")))
    run("install", "-o", user, "-g", group, "-m", "0400", path!, `${credentials}/${id}`);
  const state = `/var/lib/${one("StateDirectory")}`;
  run("install", "-d", "-o", user, "-g", group, "-m", one("StateDirectoryMode"), state);
  const setpriv = ["setpriv", `--reuid=${user}`, `--regid=${group}`, "--init-groups", "--no-new-privs"];
  const shell = ["sh", "-c", `umask ${one("UMask")}; exec "$@"`, name, ...one("ExecStart").split(" ")];
  const [command, ...args] = [...setpriv, "--bounding-set=-all", ...shell];
  const log = openSync(`/var/log/${name}.log`, "w");
  const options = {
    cwd: one("WorkingDirectory"),
    env: { PATH: process.env.PATH, HOME: state, USER: user, ...settingsOf(list) },
    stdio: ["ignore" as const, log, log],
  };
  if (one("Type") === "oneshot") {
    if (spawnSync(command!, args, options).status !== 0)
      throw new Refused(`Job for ${name}.service failed.`, 1);
    return;
  }
  const child = spawn(command!, args, { ...options, detached: true });
  mkdirSync(PIDS, { recursive: true });
  writeFileSync(`${PIDS}/${name}`, String(child.pid));
  child.unref();
}

async function stop(name: string): Promise<void> {
  serviceOf(name);
  const file = `${PIDS}/${name}`;
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8"));
  const lives = () =>
    existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (lives()) process.kill(pid, "SIGTERM");
  await until("its end", () => !lives());
  rmSync(file);
}

/** A pattern names units that run, as systemd has it. */
const named = (units: readonly string[]) =>
  units.flatMap((unit) =>
    unit.includes("*")
      ? readdirSync(PIDS).filter((name) => name.startsWith(unit.split("*")[0]!))
      : [unit.replace(/\.service$/, "")],
  );

const [action = "", ...rest] = process.argv.slice(2);
const units = rest.filter((word) => !word.startsWith("--"));
try {
  if (action === "enable" || action === "is-enabled") run("/usr/bin/systemctl", "--root=/", action, ...units);
  for (const name of named(units)) {
    if (action === "stop" || action === "restart") await stop(name);
    if (action === "start" || action === "restart" || rest.includes("--now")) start(name);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = error instanceof Refused ? error.code : 1;
}
