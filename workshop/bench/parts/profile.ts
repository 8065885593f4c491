/** What a path's time consists of, by Node's profiler: rooms and libraries, each with its share. */
import { type Profiler, Session } from "node:inspector/promises";
import PARTS from "./parts.json" with { type: "json" };

const ROOT = new URL("../../..", import.meta.url).href;
/** The process waits: for the chain, a database or a disk. */
const IDLE = "(idle)";
/** Frames without a file that are parts of their own; others belong to the one that calls them. */
const OWN_FRAMES = new Map([
  [IDLE, IDLE],
  ["(garbage collector)", "garbage collection"],
  ["(program)", "the kernel and native code"],
]);
const WRITES = "writes to sockets";
const WRITING = /^write(v|Buffer|Utf8String|Latin1String|AsciiString)$/;
const OTHER = "other";
/** What native code and Node.js do for a part. */
const INNER = new Map([
  ["statements built", "statements and commits of SQLite"],
  ["PostgreSQL's driver", "PostgreSQL's driver"],
]);
/** Of one that measures, which the path does not contain. */
const BENCH = PARTS[0]!.name;
const SAMPLE_EVERY_MICROS = 200;

/** Shares of one. */
export interface Parts {
  /** Of the time that passed. */
  readonly waiting: number;
  /** Of the CPU time, that of the bench left out; the largest first. */
  readonly shares: readonly { readonly name: string; readonly promised: boolean; readonly share: number }[];
}

/** Profiles this thread. */
export async function partsOf(work: () => Promise<unknown>): Promise<Parts> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_MICROS });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return summed(profile);
}

/** @param profile of V8, as `--cpu-prof` writes one */
export function summed({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Parts {
  const part = partsByNode(nodes);
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = part.get(id) ?? OTHER;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const sum = (names: Iterable<string>) =>
    [...names].reduce((total, name) => total + (times.get(name) ?? 0), 0);
  const all = sum(times.keys());
  const busy = [...times.keys()].filter((name) => name !== IDLE && name !== BENCH);
  const cpu = sum(busy);
  return {
    waiting: (times.get(IDLE) ?? 0) / all,
    shares: busy
      .map((name) => ({ name, promised: isPromised(name), share: (times.get(name) ?? 0) / cpu }))
      .sort((a, b) => b.share - a.share),
  };
}

const isPromised = (name: string): boolean =>
  name === WRITES || PARTS.some((part) => part.name === name && part.promised === true);

/** @returns names of parts by the numbers of the profile's nodes */
function partsByNode(nodes: readonly Profiler.ProfileNode[]): Map<number, string> {
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const found = new Map<number, string>();
  // A node stands behind its caller.
  for (const { id, callFrame } of nodes) {
    const caller = found.get(callers.get(id) ?? -1) ?? OTHER;
    found.set(id, nameOf(callFrame, caller));
  }
  return found;
}

function nameOf({ functionName, url }: Profiler.ProfileNode["callFrame"], caller: string): string {
  const own = OWN_FRAMES.get(functionName);
  if (own !== undefined) return own;
  // Node.js and native code work for who calls them, which a connection of HTTP is not.
  const inner = INNER.get(caller);
  if (inner !== undefined && (url === "" || url.startsWith("node:"))) return inner;
  if (url === "") return WRITING.test(functionName) ? WRITES : caller;
  // Folders above the checkout may have the names of rooms.
  const file = url.replace(ROOT, "");
  return PARTS.find((part) => new RegExp(part.file).test(file))?.name ?? OTHER;
}
