/** Clients of a service in trouble: what they are answered, and how long that takes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiProcess } from "../../test/support/apiProcess.ts";

/** Nobody waits longer. */
const PATIENCE_MS = 30_000;
/** Each with the most days that it takes: what differs in its parameters is in no cache yet. */
const PUBLIC: readonly (readonly [path: string, days: number])[] = [
  ["/api/market-overview?days=", 365],
  ["/api/premium/history?symbol=AAPLx&days=", 30],
  ["/api/basis/history?underlying=AAPL&days=", 30],
];

export interface Seen {
  /** 0: no answer. */
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

export async function ask(url: string, init: RequestInit = {}): Promise<Seen> {
  const started = performance.now();
  const seen = (status: number, text: string) => ({ status, ms: performance.now() - started, text });
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    return seen(answer.status, await answer.text());
  } catch (error) {
    return seen(0, String(error));
  }
}

/** Asks one path again and again. */
export async function askFor(url: string, ms: number, everyMs = 20): Promise<Seen[]> {
  const until = performance.now() + ms;
  const seen: Seen[] = [];
  while (performance.now() < until) {
    seen.push(await ask(url));
    await sleep(everyMs);
  }
  return seen;
}

let asked = 0;

/** The public endpoints for so long, each time with parameters of their own. */
export async function askPublic({ url }: ApiProcess, ms: number): Promise<Seen[]> {
  const until = performance.now() + ms;
  const seen: Seen[] = [];
  while (performance.now() < until)
    seen.push(
      ...(await Promise.all(PUBLIC.map(([path, days]) => ask(`${url}${path}${1 + (asked++ % days)}`)))),
    );
  return seen;
}

/** A write: an application for a key, of which an address may make five a minute. */
export function apply({ url }: ApiProcess): Promise<Seen> {
  const body = JSON.stringify({ name: "n", email: "n@example.org", purpose: "p" });
  return ask(`${url}/api/v1/keys`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

/** What /readyz says of the database. The node is away in most rehearsals, so its status says nothing. */
export async function databaseCheck({ url }: ApiProcess): Promise<string> {
  const { text } = await ask(`${url}/readyz`);
  return /"database":"(up|down)"/.exec(text)?.[1] ?? "unknown";
}

/** @returns milliseconds until /readyz says that the database accepts writes */
export async function untilUp(api: ApiProcess): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < PATIENCE_MS) {
    if ((await databaseCheck(api)) === "up") break;
    await sleep(100);
  }
  return performance.now() - started;
}

/** @returns whether it ever said so within that time */
export async function saidDown(api: ApiProcess, withinMs = 5_000): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    if ((await databaseCheck(api)) === "down") return true;
    await sleep(200);
  }
  return false;
}

export const slowest = (seen: readonly Seen[]): number => Math.max(0, ...seen.map(({ ms }) => ms));

/** `200, 503`: every status that was seen. */
export const statuses = (seen: readonly Seen[]): string =>
  [...new Set(seen.map(({ status }) => (status === 0 ? "no answer" : String(status))))].sort().join(", ");

export const all = (seen: readonly Seen[], status: number): boolean =>
  seen.length > 0 && seen.every((one) => one.status === status);

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
