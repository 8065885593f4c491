/** Lies of providers as data: which answers are changed, where in them, and how. */
import { z } from "zod";
import type { ReplayWorld } from "./replayWorld.ts";

/** At most one of the changes; a place such as `data.symbol=AAPLUSDT.time`, in which `*` is each, and `Xs*` each that begins so. */
const Change = z.strictObject({
  at: z.string().default(""),
  times: z.number().optional(),
  plus: z.number().optional(),
  set: z.json().optional(),
  rename: z.string().optional(),
  drop: z.literal(true).optional(),
  /** Each row of a list comes again at its end, changed. */
  get again() {
    return z.array(Change).optional();
  },
});
type Change = z.infer<typeof Change>;

export const Patch = Change.extend({
  /** Of provider, path, query and body of the request. */
  of: z.string(),
  /** The answer as it was when it was first asked for. */
  freeze: z.literal(true).optional(),
  /** `times` once more in each round. */
  drift: z.literal(true).optional(),
});
export type Patch = z.infer<typeof Patch>;

type Json = ReturnType<typeof JSON.parse>;

/** For a world's `rewrite`. @param now unix seconds, for `{"set": "now"}` and milliseconds in `nowMs` */
export function patching(patches: readonly Patch[], now: () => number): ReplayWorld["rewrite"] {
  const frozen = new Map<string, unknown>();
  const rounds = new Set<number>();
  return (_provider, body, asked) => {
    let told: Json = structuredClone(body);
    rounds.add(now());
    for (const { of, freeze, drift, ...change } of patches) {
      if (!new RegExp(of).test(asked)) continue;
      if (freeze) {
        if (!frozen.has(asked)) frozen.set(asked, structuredClone(told));
        told = structuredClone(frozen.get(asked));
      } else {
        const drifted = { ...change, times: (change.times ?? 1) ** rounds.size };
        told = changed(told, drift ? drifted : change, now());
      }
    }
    return told;
  };
}

function changed(root: Json, change: Change, now: number): Json {
  // The answer itself is a place too.
  const holder = { root };
  const path = ["root", ...change.at.split(".").filter(Boolean)];
  const last = path.pop() ?? "";
  const places = path.reduce((found: Json[], key) => found.flatMap((one) => valuesAt(one, key)), [holder]);
  for (const place of places) for (const key of keysAt(place, last)) change1(place, key, change, now);
  return holder.root;
}

function change1(place: Json, key: string, change: Change, now: number): void {
  const { set, times, plus, rename, drop, again } = change;
  const value = place[key];
  if (set !== undefined) place[key] = set === "now" ? now : set === "nowMs" ? now * 1_000 : set;
  if (times !== undefined) place[key] = numberLike(value, scaled(value, times));
  if (plus !== undefined) place[key] = numberLike(value, String(Number(value) + plus));
  const rows = (changes: readonly Change[]) =>
    changes.reduce((list: Json, one) => changed(list, one, now), structuredClone(value));
  if (again !== undefined) place[key] = [...value, ...rows(again)];
  if (rename !== undefined) place[rename] = value;
  if (rename === undefined && drop === undefined) return;
  if (Array.isArray(place)) place.splice(Number(key), 1);
  else delete place[key];
}

const valuesAt = (place: Json, key: string): Json[] => keysAt(place, key).map((one) => place[one]);

function keysAt(place: Json, key: string): string[] {
  if (typeof place !== "object" || place === null) return [];
  const [name = "", value] = key.split("=");
  if (key.endsWith("*"))
    return Object.keys(place)
      .filter((one) => one.startsWith(key.slice(0, -1)))
      .reverse();
  if (value !== undefined) return Object.keys(place).filter((one) => String(place[one]?.[name]) === value);
  return key in place ? [key] : [];
}

/** As text where it was text. */
const numberLike = (before: unknown, text: string) => (typeof before === "string" ? text : Number(text));

/** Whole numbers stay whole. */
function scaled(value: unknown, times: number): string {
  const whole = /^-?\d{6,}$/.test(String(value)) && typeof value === "string";
  return whole
    ? String((BigInt(value) * BigInt(Math.round(times * 1e9))) / 10n ** 9n)
    : String(Number(value) * times);
}
