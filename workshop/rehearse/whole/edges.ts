/** HAProxy, pgbouncer and Redis in trouble. */
import type { Part } from "../shape/part.ts";
import type { Shape, Way } from "../shape/shape.ts";
import { HOLD_MS, type WholeFault } from "./fault.ts";

type Common = Pick<WholeFault, "isSurvived">;
type Pick_ = (shape: Shape) => Part;

export const killed = (name: string, part: Pick_, isShort: boolean, common: Common): WholeFault => ({
  ...common,
  name,
  isShort,
  holdMs: HOLD_MS,
  begin: ({ shape }) => part(shape).kill(),
  end: ({ shape }) => part(shape).start(),
});

export const frozen = (name: string, part: Pick_, isShort: boolean, common: Common): WholeFault => ({
  ...common,
  name,
  isShort,
  holdMs: HOLD_MS,
  begin: async ({ shape }) => part(shape).freeze(),
  end: async ({ shape }) => part(shape).thaw(),
});

export const cut = (name: string, way: Way, isShort: boolean, common: Common): WholeFault => ({
  ...common,
  name,
  isShort,
  holdMs: HOLD_MS,
  begin: async ({ shape }) => shape.ways[way].silence(),
  end: async ({ shape }) => shape.ways[way].recover(),
});

/** As its supervisor restarts it: at once. */
export const restarted = (
  name: string,
  part: Pick_,
  isShort: boolean,
  common: Common,
  signal: NodeJS.Signals = "SIGTERM",
): WholeFault => ({
  ...common,
  name,
  isShort,
  holdMs: 0,
  async begin({ shape }) {
    await part(shape).end(signal);
    await part(shape).start();
  },
  end: async () => {},
});

const alone = { isSurvived: false } as const;
const survived = { isSurvived: true } as const;

export const EDGES: readonly WholeFault[] = [
  killed("HAProxy is killed", ({ haproxy }) => haproxy, false, alone),
  frozen("HAProxy is frozen", ({ haproxy }) => haproxy, false, alone),
  {
    ...alone,
    name: "HAProxy loads its configuration anew",
    isShort: false,
    isSurvived: true,
    holdMs: 2_000,
    begin: async ({ shape }) => shape.haproxy.signal("SIGUSR2"),
    end: async () => {},
  },
  killed("pgbouncer is killed", ({ pgbouncer }) => pgbouncer, false, alone),
  frozen("pgbouncer is frozen", ({ pgbouncer }) => pgbouncer, false, alone),
  cut("The way to pgbouncer swallows packets", "pgbouncer", false, alone),
  restarted("pgbouncer is restarted", ({ pgbouncer }) => pgbouncer, false, alone, "SIGINT"),
  killed("Redis is killed", ({ redis }) => redis, true, survived),
  frozen("Redis is frozen", ({ redis }) => redis, false, survived),
  cut("The way to Redis swallows packets", "redis", false, survived),
  {
    ...survived,
    name: "Redis is full",
    isShort: false,
    holdMs: HOLD_MS,
    // As when others had filled it: nothing more is written, not even a count.
    begin: async ({ shape }) => void (await shape.redis.command("CONFIG", "SET", "maxmemory", "1")),
    end: async ({ shape }) => void (await shape.redis.command("CONFIG", "SET", "maxmemory", "64mb")),
  },
  restarted("Redis is restarted", ({ redis }) => redis, false, survived),
];
