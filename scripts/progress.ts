/** Says now and then how far long work is: done, total, and the time that is left. */
import type { World } from "./console.ts";

const TELL_EVERY_MS = 5_000;

/**
 * @param what is done, such as "Reading events, block"
 * @param unit of what is counted, such as "blocks"; empty where `what` says it
 * @returns to be told how much is done. Nothing is said of work that takes a few seconds
 */
export function progressOf(world: Pick<World, "err" | "now">, what: string, unit: string) {
  const began = world.now();
  let told = began;
  let first: number | null = null;
  return (done: number, total: number | null): void => {
    first ??= done;
    const now = world.now();
    if (now - told < TELL_EVERY_MS) return;
    told = now;
    const counted = total === null ? "" : ` of ${total.toLocaleString("en-US")}`;
    const left = total === null ? null : secondsLeft(now - began, done - first, total - done);
    const time = left === null ? "" : `, about ${timeText(left)} left`;
    world.err(`${what} ${done.toLocaleString("en-US")}${counted} ${unit}${time}`.trimEnd());
  };
}

/** @returns null where nothing is done that would show how fast it goes */
function secondsLeft(tookMs: number, done: number, left: number): number | null {
  return done <= 0 ? null : Math.ceil(((tookMs / done) * left) / 1_000);
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
