/** The primary and its standbys in trouble. */
import { NO_MOUNT } from "../../../test/support/smallDisk.ts";
import { untilStreaming } from "../topology/postgres.ts";
import {
  cut,
  frozen,
  killed,
  NotPossible,
  restarted,
  type Scene,
  survived,
  type WholeFault,
} from "./fault.ts";

const primary = ({ topology }: Scene) => topology.postgres.primary;
const standby = ({ topology }: Scene) => topology.postgres.standby;
const replica = ({ topology }: Scene) => topology.postgres.replica;

const full: WholeFault = {
  name: "The primary's disk is full",
  holdMs: 8_000,
  begin: async ({ topology }) => {
    if (topology.disk === null) throw new NotPossible(NO_MOUNT);
    try {
      topology.disk.fill();
    } catch (error) {
      // The primary took the last of it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  },
  end: async ({ topology }) => {
    topology.disk?.free();
    const { primary } = topology.postgres;
    // It exits where it could not write its log, and its supervisor starts it again.
    if (primary.pids.length === 0) await primary.start();
    else await primary.untilReady();
  },
};

const promoted: WholeFault = {
  name: "The primary is lost for good, and the standby promoted",
  isShort: true,
  holdMs: 0,
  async begin({ topology }) {
    const { primary, standby } = topology.postgres;
    await primary.kill();
    await standby.promote();
    // Both ways lead to the new one from here on.
    await topology.pgbouncer.pointTo(standby.port);
    await topology.postgres.replica.followInstead(standby.port);
    topology.postgres.primary = standby;
    topology.postgres.standby = primary;
  },
  /** The machine that was lost comes back empty, as the standby of what took its place. */
  async after({ topology, say }) {
    const { primary, standby } = topology.postgres;
    say("    the lost machine becomes the new standby");
    await standby.follow(primary, primary.port);
    await standby.start();
    await untilStreaming(primary, 2);
    await primary.waitForStandby();
  },
};

const behind: WholeFault = {
  ...survived,
  name: "The replica falls behind",
  holdMs: 15_000,
  begin: async (scene) => void (await replica(scene).ask("select pg_wal_replay_pause()")),
  end: async (scene) => void (await replica(scene).ask("select pg_wal_replay_resume()")),
};

export const DATABASES: readonly WholeFault[] = [
  killed("The replica is killed", replica, survived),
  frozen("The replica is frozen", replica, survived),
  cut("The way to the replica swallows packets", "replica", survived),
  cut("The replica's way to the primary swallows packets", "streaming", survived),
  behind,
  killed("The standby is killed", standby, survived),
  killed("The primary is killed", primary, { isShort: true }),
  frozen("The primary is frozen", primary),
  cut("The way to the primary swallows packets", "primary"),
  restarted("The primary is restarted", primary, { signal: "SIGINT" }),
  full,
  promoted,
];
