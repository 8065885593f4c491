/** The faults of the topology, in the order of the table in docs/benchmarks.md. A new one is one more entry. */
import { DATABASES } from "./databases.ts";
import { cut, frozen, HOLD_MS, killed, restarted, type Scene, survived, type WholeFault } from "./fault.ts";
import { OPERATOR } from "./operator.ts";
import { PROCESSES, rolled } from "./processes.ts";

const haproxy = ({ topology }: Scene) => topology.haproxy;
const pgbouncer = ({ topology }: Scene) => topology.pgbouncer;
const redis = ({ topology }: Scene) => topology.redis;
const chain = ({ topology }: Scene) => topology.chain;

const EDGES: readonly WholeFault[] = [
  killed("HAProxy is killed", haproxy),
  frozen("HAProxy is frozen", haproxy),
  {
    ...survived,
    name: "HAProxy loads its configuration anew",
    holdMs: 2_000,
    begin: async ({ topology }) => topology.haproxy.signal("SIGUSR2"),
  },
  killed("pgbouncer is killed", pgbouncer),
  frozen("pgbouncer is frozen", pgbouncer),
  cut("The way to pgbouncer swallows packets", "pgbouncer"),
  restarted("pgbouncer is restarted", pgbouncer, { signal: "SIGINT" }),
  killed("Redis is killed", redis, { ...survived, isShort: true }),
  frozen("Redis is frozen", redis, survived),
  cut("The way to Redis swallows packets", "redis", survived),
  {
    ...survived,
    name: "Redis is full",
    holdMs: HOLD_MS,
    // As when others had filled it: nothing more is written, not even a count.
    begin: async ({ topology }) => void (await topology.redis.command("CONFIG", "SET", "maxmemory", "1")),
    end: async ({ topology }) => void (await topology.redis.command("CONFIG", "SET", "maxmemory", "64mb")),
  },
  restarted("Redis is restarted", redis, survived),
];

/** The chain's node and the facilitator, too. */
const OUTSIDE: readonly WholeFault[] = [
  killed("The chain's node is killed", chain),
  frozen("The chain's node is frozen", chain),
  cut("The way to the chain's node swallows packets", "chain"),
  {
    name: "The facilitator settles and never answers",
    holdMs: HOLD_MS,
    begin: async ({ topology }) => {
      topology.facilitator.settleFault = "settle-then-hang";
    },
    end: async ({ topology }) => {
      topology.facilitator.settleFault = null;
    },
  },
];

export const WHOLE_FAULTS: readonly WholeFault[] = [
  ...PROCESSES,
  ...EDGES,
  ...DATABASES,
  ...OUTSIDE,
  ...OPERATOR,
  rolled,
];
