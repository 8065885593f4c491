/**
 * Which process this is, in a way by which another one on the same machine can tell later whether it still runs. The
 * machine is its boot and its namespace of processes, so that containers are not taken for each other. The process is its
 * number with its start time, since numbers are reused. Where there is no /proc, or one that hides what others run
 * (`hidepid`, systemd's `ProtectProc`), nothing is known: the first process, which always lives, tells.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { orElse } from "../../attestor/values/orElse.ts";

/** What of /proc is read, by its path; throws where it is not there. */
export interface ProcFiles {
  readFile(path: string): string;
  readLink(path: string): string;
}

const OWNER = /^(.+) ([0-9]+) ([0-9]+)$/;
/** Of the fields after the name in brackets: state is the first, the start the twentieth. */
const STATE_FIELD = 0;
const START_FIELD = 19;

export type ProcessIdentity = ReturnType<typeof processIdentity>;

/** @param pid of this process */
export function processIdentity(pid: number, files: ProcFiles = PROC) {
  const machine = orElse(() => {
    files.readFile("/proc/1/stat");
    return `${files.readFile("/proc/sys/kernel/random/boot_id").trim()}/${files.readLink("/proc/self/ns/pid")}`;
  }, null);
  const start = startOf(pid, files);
  return {
    /** null: unknown. */
    self: machine === null || start === null ? null : `${machine} ${pid} ${start}`,
    /** true only where it surely is: of another machine's process nothing is known. */
    isDead(owner: string) {
      const [, where, number, started] = OWNER.exec(owner) ?? [];
      if (machine === null || start === null || where !== machine || number === undefined) return false;
      return startOf(Number(number), files) !== started;
    },
  };
}

/** When a process started, in ticks since the boot; null: it does not run. */
function startOf(pid: number, files: ProcFiles): string | null {
  const stat = orElse(() => files.readFile(`/proc/${pid}/stat`), null);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  // One that has ended and is not yet fetched by its parent does nothing any more.
  if (fields === undefined || /^[ZX]$/.test(fields[STATE_FIELD] ?? "")) return null;
  return fields[START_FIELD] ?? null;
}

const PROC: ProcFiles = {
  readFile: (path) => readFileSync(path, "utf8"),
  readLink: (path) => readlinkSync(path),
};
