/**
 * An hour in the service's life, or as long as `--minutes` says: half of what it can do, or `--rate` requests a second, all
 * the time. Tells errors, how answers at the end compare to those at the beginning, what memory does and what it
 * consists of.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { optionsGiven } from "./given.ts";
import { forkLocal, tradeOf, UNLIMITED, withLocalChain } from "./localChain.ts";
import { processorOf, quantile } from "./measure.ts";
import type { Parts } from "./parts/profile.ts";
import { counted, inMs, print, printParts, printTable, printTargets, progress } from "./print.ts";
import type { Question } from "./soak/collector.ts";
import {
  heldBy,
  MEGABYTE,
  megabytes,
  memoryIn,
  printMemory,
  printModules,
  residentIn,
} from "./soak/memory.ts";

const MINUTES = 60;
const HOUR_MS = 3_600_000;
const CLIENTS = 8;
/** To find out what the service can do; also warms it up. */
const CALIBRATION_MS = 20_000;
const SETTLE_MS = 5_000;
/** Longer than rounds in the background are apart. */
const PROFILED_MS = 60_000;
const TICK_MS = 20;
const MEMORY_EVERY_MS = 5_000;
/** Of the time, at its begin and at its end. */
const ENDS_SHARE = 0.1;
/** After ten minutes of an hour. */
const EARLY_SHARE = 1 / 6;
/** One request in so many makes a job, which asks the chain and writes. */
const JOB_EVERY = 20;
const REQUEST_TIMEOUT_MS = 10_000;
/** Beyond so many without an answer the service has fallen behind for good, and more of them would tell nothing new. */
const MOST_WAITING = 500;
const NOT_SENT = `not sent, ${MOST_WAITING} were waiting`;

interface Sample {
  /** Milliseconds since the soak began. */
  readonly at: number;
  readonly ms: number;
}

interface Resident {
  readonly at: number;
  readonly bytes: number;
}

/** What clients do, one after the other. @returns whether it went well */
type Work = () => Promise<string | null>;

export async function bench(): Promise<void> {
  const values = optionsGiven({
    minutes: { type: "string", default: String(MINUTES) },
    rate: { type: "string" },
  });
  const rate = values.rate === undefined ? null : Number(values.rate);
  if (rate !== null && !(rate > 0)) throw new Error("--rate takes requests a second, above zero");
  const durationMs = Number(values.minutes) * 60_000;
  if (!(durationMs > 0)) throw new Error("--minutes takes a number above zero");

  await withLocalChain(async (folder, rpcUrl) => {
    const { child, stop } = await forkLocal(
      "api",
      { DATA_DIR: folder, RPC_URL: rpcUrl, PORT: "0", ...UNLIMITED, LOG_LEVEL: "info" },
      ["--expose-gc", "--import", join(import.meta.dirname, "soak/collector.ts")],
    );
    try {
      const local = await readLocalFile(folder);
      if (local === null) throw new Error("the service has written no local.json");
      await soak(child, workOf(local), durationMs, rate);
    } finally {
      await stop();
    }
  });
}

async function soak(service: ChildProcess, work: Work, durationMs: number, wanted: number | null) {
  await sleep(SETTLE_MS);
  const atRest = await memoryIn(service);
  progress(`Memory after the start: ${megabytes(atRest.resident)}`);
  const fullRate = await calibrate(work);
  const rate = wanted ?? fullRate / 2;
  progress(
    `${CLIENTS} clients in turn: ${fullRate.toFixed(0)} requests/s; now ${rate.toFixed(0)} for ${(durationMs / 60_000).toFixed(1)} minutes`,
  );

  const warm = await aliveIn(service);
  const early = sleep(durationMs * EARLY_SHARE).then(() => aliveIn(service));
  const pid = service.pid as number;
  const processorBefore = processorOf(pid);
  const { samples, errors, memory } = await hold(service, work, rate, durationMs);
  const processorMs = (processorOf(pid) - processorBefore) / samples.length;
  const atEnd = await memoryIn(service);
  const [parts] = await Promise.all([profiled(service, PROFILED_MS), hold(service, work, rate, PROFILED_MS)]);
  const alive = [warm, await early, await aliveIn(service)] as const;
  const failed = [...errors].map(([what, count]) => `${count} x ${what}`).join(", ");
  const minutes = (durationMs / 60_000).toFixed(1);
  print(
    `${CLIENTS} clients in turn: ${fullRate.toFixed(0)} requests/s. At ${rate.toFixed(0)} requests/s for ${minutes} minutes: ` +
      `${counted(samples.length)} requests; errors: ${failed || "none"}.`,
  );
  const tenth = (name: string, of: readonly Sample[]) => {
    const times = of.map(({ ms }) => ms);
    return [name, inMs(quantile(times, 0.5)), inMs(quantile(times, 0.99))];
  };
  printTable(
    ["answers", "p50", "p99"],
    [
      tenth(
        "first tenth of the time",
        samples.filter(({ at }) => at <= durationMs * ENDS_SHARE),
      ),
      tenth(
        "last tenth",
        samples.filter(({ at }) => at >= durationMs * (1 - ENDS_SHARE)),
      ),
    ],
  );
  printMemoryOverTime(atRest.resident, memory, durationMs, alive);
  printMemory({ "at rest": atRest, "at the end": atEnd });
  await printModules();
  printParts({ "the mix of requests, rounds in the background included": parts });
  const inMegabytes = { unit: " MB" };
  printTargets([
    { name: "memory at rest", measured: atRest.resident / MEGABYTE, wanted: { atMost: 250 }, ...inMegabytes },
    {
      name: `memory after ${minutes} minutes`,
      measured: meanBefore(memory, durationMs) / MEGABYTE,
      wanted: { atMost: 350 },
      ...inMegabytes,
    },
    {
      name: "a request of the mix, rounds in the background included",
      measured: processorMs,
      wanted: { atMost: 1.2 },
      unit: " ms of the processor",
    },
  ]);
}

/** @param alive bytes that are left of garbage collections: warm, after a sixth of the time, at the end */
function printMemoryOverTime(
  atRest: number,
  memory: readonly Resident[],
  durationMs: number,
  alive: readonly [number, number, number],
): void {
  const resident = [
    ["after the start, 90 days of history just filled in", atRest],
    ["after a sixth of the time, mean of a minute", meanBefore(memory, durationMs * EARLY_SHARE)],
    ["at the end, mean of a minute", meanBefore(memory, durationMs)],
    ["at most", Math.max(...memory.map(({ bytes }) => bytes))],
    [
      "growth an hour, over the second half",
      slopeOf(memory.filter(({ at }) => at >= durationMs / 2)) * HOUR_MS,
    ],
    ["alive after a garbage collection: warm", alive[0]],
    ["alive after a sixth of the time", alive[1]],
    ["alive at the end", alive[2]],
  ] as const;
  printTable(
    ["memory of the process", "value"],
    resident.map(([name, bytes]) => [name, megabytes(bytes)]),
  );
}

/** What the service holds once its garbage is collected, in bytes. */
const aliveIn = async (service: ChildProcess): Promise<number> => heldBy(await memoryIn(service, true));

async function profiled(service: ChildProcess, profilingMs: number): Promise<Parts> {
  const answered = once(service, "message");
  service.send({ profilingMs } satisfies Question);
  const [parts] = (await answered) as [Parts];
  return parts;
}

/** @returns requests a second when each client asks again as soon as it is answered */
async function calibrate(work: Work): Promise<number> {
  const until = performance.now() + CALIBRATION_MS;
  let done = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) {
        await work();
        done++;
      }
    }),
  );
  return (done * 1_000) / CALIBRATION_MS;
}

/** Sends at that rate regardless of the answers: slow ones accumulate waiting requests. */
async function hold(service: ChildProcess, work: Work, rate: number, durationMs: number) {
  const samples: Sample[] = [];
  const memory: Resident[] = [];
  const errors = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const began = performance.now();
  const now = () => performance.now() - began;
  const one = async () => {
    const at = now();
    const fault = await work();
    if (fault !== null) errors.set(fault, (errors.get(fault) ?? 0) + 1);
    samples.push({ at, ms: now() - at });
  };
  let sent = 0;
  let nextMemory = 0;
  while (now() < durationMs) {
    for (; sent < (now() * rate) / 1_000; sent++) {
      if (running.size >= MOST_WAITING) {
        errors.set(NOT_SENT, (errors.get(NOT_SENT) ?? 0) + 1);
        continue;
      }
      const request: Promise<void> = one().finally(() => running.delete(request));
      running.add(request);
    }
    if (now() >= nextMemory) {
      memory.push({ at: now(), bytes: residentIn(service) });
      nextMemory += MEMORY_EVERY_MS;
    }
    await sleep(TICK_MS);
  }
  await Promise.all(running);
  return { samples, errors, memory };
}

/** What agents and pages ask for: series, totals, liquidity, and now and then a new job with its report. */
function workOf(local: LocalFile): Work {
  const { baseUrl, apiKey } = local;
  const headers = { "x-api-key": apiKey };
  const reads = [
    "/api/v1/assets",
    "/api/v1/liquidity-scores",
    "/api/v1/premium-history?symbol=AAPLx&days=30",
    "/api/market-overview",
    "/api/premium/history?symbol=AAPLx",
    "/api/basis/history?underlying=AAPL",
    "/v1/policies",
    "/v1/assets",
  ];
  let n = 0;
  return () => {
    const turn = ++n;
    if (turn % JOB_EVERY !== 0)
      return faultOf(200, (signal) =>
        fetch(new URL(reads[turn % reads.length] as string, baseUrl), { headers, signal }),
      );
    const body = JSON.stringify({ clientRequestId: `soak-${turn}`, ...tradeOf(local, turn % 1_000_000) });
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
    return faultOf(201, (signal) => fetch(new URL("/v1/jobs", baseUrl), { ...init, signal }));
  };
}

async function faultOf(
  expected: number,
  request: (signal: AbortSignal) => Promise<Response>,
): Promise<string | null> {
  // A timer of our own: a signal that nothing else holds may be collected before it fires.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), REQUEST_TIMEOUT_MS);
  try {
    const response = await request(late.signal);
    await response.arrayBuffer();
    return response.status === expected ? null : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.name : "failed";
  } finally {
    clearTimeout(timer);
  }
}

/** @returns the mean of the minute before `at` */
function meanBefore(memory: readonly Resident[], at: number): number {
  const last = memory.filter((sample) => sample.at <= at && sample.at > at - 60_000);
  return last.reduce((sum, { bytes }) => sum + bytes, 0) / last.length;
}

/** Bytes a millisecond, by least squares. */
function slopeOf(memory: readonly Resident[]): number {
  const meanAt = memory.reduce((sum, { at }) => sum + at, 0) / memory.length;
  const mean = memory.reduce((sum, { bytes }) => sum + bytes, 0) / memory.length;
  const above = memory.reduce((sum, { at, bytes }) => sum + (at - meanAt) * (bytes - mean), 0);
  const below = memory.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  return below === 0 ? 0 : above / below;
}
