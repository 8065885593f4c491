/**
 * Limits of answers with `inputs=1`, which cost many times as much as others: how many a minute, and how many at a time.
 * They count beside the limits of all requests.
 */
import {
  type Limit,
  type Limits,
  networkOf,
  overLimit,
  type Standing,
  takeOfAddress,
} from "../http/limits.ts";
import type { Call, Reply } from "../http/route.ts";

/** Of the key's own limit. */
const PART_OF_KEY_LIMIT = 1 / 3;
const AT_A_TIME = { caller: 2, process: 8 };
const AGAIN_SECONDS = 1;

export type InputsLimits = ReturnType<typeof createInputsLimits>;
type Asking = Pick<Call<unknown, unknown, unknown>, "caller" | "address">;

export function createInputsLimits(limits: Limits, addressLimitPerMinute: number) {
  // Apart, so that requests without a key leave room for those with one.
  const ofKeys = createInFlight("inputs-in-flight", "key");
  const ofAddresses = createInFlight("data-inputs-in-flight", "address");

  const enter = ({ caller, address }: Asking) =>
    caller.kind === "key" ? ofKeys(caller.keyId) : ofAddresses(networkOf(address));

  function take({ caller, address }: Asking): Promise<Standing> {
    if (caller.kind !== "key") return takeOfAddress(limits, "data-inputs", address, addressLimitPerMinute);
    return limits.take(`inputs:${caller.keyId}`, Math.ceil(caller.limitPerMinute * PART_OF_KEY_LIMIT));
  }

  return {
    /** @throws Problem `rate_limited` for too many a minute or at a time, before anything is made */
    async within(call: Asking, make: () => Promise<Reply>): Promise<Reply> {
      const leave = enter(call);
      try {
        const standing = await take(call);
        const reply = await make();
        return { ...reply, headers: { ...reply.headers, ...standing } };
      } finally {
        leave();
      }
    },
  };
}

/** Counts the answers that are being made. */
function createInFlight(name: string, scope: Limit["scope"]) {
  const limitOf = (quota: number, whose: Limit["scope"]): Limit => ({
    name,
    quota,
    windowSeconds: null,
    scope: whose,
  });
  const byCaller = new Map<string, number>();
  let all = 0;
  /** @returns what ends the answer @throws Problem `rate_limited` */
  return (caller: string): (() => void) => {
    const runningOfCaller = byCaller.get(caller) ?? 0;
    if (runningOfCaller >= AT_A_TIME.caller)
      throw tooMany(limitOf(AT_A_TIME.caller, scope), "of yours are being made: wait for their answers");
    if (all >= AT_A_TIME.process)
      throw tooMany(limitOf(AT_A_TIME.process, "process"), "are being made: ask again");
    byCaller.set(caller, runningOfCaller + 1);
    all++;
    return () => {
      all--;
      const left = (byCaller.get(caller) ?? 1) - 1;
      if (left === 0) byCaller.delete(caller);
      else byCaller.set(caller, left);
    };
  };
}

const tooMany = (limit: Limit, what: string) =>
  overLimit(
    limit,
    AGAIN_SECONDS,
    `over the limit "${limit.name}": ${limit.quota} answers with inputs ${what}`,
  );
