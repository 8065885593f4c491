/** How long answers take on two sides, request by request in turn. */
import type { Asked } from "../../rehearse/load/ask.ts";
import { median, quantile } from "../measure.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Side } from "./sides.ts";

const REQUESTS = 200;
const WARM = 5;
const MOST_TIMES = 2;

export interface Sides {
  readonly empty: Side;
  /** Stands for the empty one where a process keeps what it has read. */
  readonly small: Side;
  readonly full: Side;
}

/** Prints a row an endpoint. Sets the exit code to 1 where a p99 is more than twice that of the database of few rows. */
export async function printTimes(
  { empty, small, full }: Sides,
  endpoints: readonly Endpoint[],
  rounds: number,
): Promise<void> {
  console.log(
    "| endpoint | beside | p50, few | p50, full | p99, few | p99, full | times |\n|---|---|---|---|---|---|---|",
  );
  for (const endpoint of endpoints) {
    const beside = endpoint.isKept ? small : empty;
    const [few, many] = (await measured([beside, full], endpoint, rounds)) as [Times, Times];
    const times = many.p99 / few.p99;
    if (times > MOST_TIMES) process.exitCode = 1;
    const cells = [few.p50, many.p50, few.p99, many.p99].map((ms) => `${ms.toFixed(1)} ms`);
    console.log(`| ${[endpoint.route, beside.title, ...cells, times.toFixed(2)].join(" | ")} |`);
  }
}

interface Times {
  /** Milliseconds: medians of the rounds. */
  readonly p50: number;
  readonly p99: number;
}

/** Each request of all sides before the next one, each first in turn, so that what the machine does meanwhile hits all alike. */
async function measured(sides: readonly Side[], endpoint: Endpoint, rounds: number): Promise<Times[]> {
  const { requests = REQUESTS } = endpoint;
  const found = sides.map((): Times[] => []);
  for (let n = 0; n < WARM; n++) for (const side of sides) await answered(side, endpoint, n);
  for (let round = 0, n = WARM; round < rounds; round++) {
    const took = sides.map((): number[] => []);
    for (let request = 0; request < requests; request++, n++)
      for (const [index, side] of inTurn(sides, n)) took[index]!.push((await answered(side, endpoint, n)).ms);
    for (const [index, values] of took.entries())
      found[index]!.push({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });
  }
  return found.map((times) => ({
    p50: median(times.map(({ p50 }) => p50)),
    p99: median(times.map(({ p99 }) => p99)),
  }));
}

function inTurn(sides: readonly Side[], n: number): (readonly [number, Side])[] {
  const numbered = [...sides.entries()];
  return n % 2 === 0 ? numbered : numbered.reverse();
}

/** One request. @throws Error where it was answered with another status */
export async function answered(side: Side, { route, status, one }: Endpoint, n: number): Promise<Asked> {
  const answer = await one(side, n);
  if (answer.status === status) return answer;
  throw new Error(`${side.title}: ${route} answered ${answer.outcome}: ${answer.text.slice(0, 300)}`);
}
