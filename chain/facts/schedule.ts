/** What waits of the guard at a block: the events of its manager up to that block, of which each is read once. */
import type { JsonRpcProvider } from "ethers";
import type { ChainFacts, PendingChange } from "../../attestor/evidence/facts.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { UpstreamUnavailable } from "../chainErrors.ts";
import type { Deployment } from "../deployment.ts";
import { REMEMBER_BEHIND_BLOCKS } from "../guard/reading.ts";
import {
  NOTHING_SCHEDULED,
  pendingChanges,
  SCHEDULE_TOPICS,
  type Schedule,
  scheduleAfter,
  waitingAt,
} from "../guard/schedule.ts";
import { logPages } from "../logs.ts";
import type { BlockMemo } from "./blockMemo.ts";

export interface ScheduleReader {
  /** @throws UpstreamUnavailable also while a long past is still being read: the next call goes on from there */
  pendingAt(chain: ChainFacts, manager: string): Promise<PendingChange[]>;
}

/** The first block at which anything was scheduled that may still wait: kept, so that a restart need not read all blocks. */
export interface ScheduleStart {
  /** null: nobody has read any. */
  read(): Promise<number | null>;
  write(block: number): Promise<void>;
}

/** What no reorganization changes any more. */
interface Settled {
  readonly manager: string;
  /** The last block whose events are in the schedule. */
  readonly upTo: number;
  readonly schedule: Schedule;
}

/** One call reads no more pages of events than these. */
const MOST_PAGES = 40;
/** A start that is so many blocks old is written anew. */
const WRITE_EVERY_BLOCKS = 1_000;
/** Longer than any clock goes back: what expired before that is forgotten. */
const FORGET_AFTER_SECONDS = 86_400;

export function createScheduleReader(
  provider: JsonRpcProvider,
  { guard, deployedAtBlock }: Pick<Deployment, "guard" | "deployedAtBlock">,
  memo: BlockMemo,
  start?: ScheduleStart,
): ScheduleReader {
  let settled: Settled | null = null;
  let written = 0;

  async function beginning(manager: string, blockNumber: number): Promise<Settled> {
    // A local chain can go back, and another manager has a schedule of its own.
    if (settled !== null && settled.manager === manager && settled.upTo <= blockNumber) return settled;
    const first = Math.max(deployedAtBlock, (await start?.read()) ?? 0);
    const upTo = first > blockNumber ? deployedAtBlock - 1 : first - 1;
    settled = { manager, upTo, schedule: NOTHING_SCHEDULED };
    return settled;
  }

  function settle(next: Settled, blockTimestamp: UnixSeconds): void {
    const waiting = waitingAt(next.schedule, blockTimestamp - FORGET_AFTER_SECONDS);
    settled = { ...next, schedule: new Map(waiting.map((operation) => [operation.id, operation])) };
    const first = Math.min(next.upTo + 1, ...waiting.map(({ block }) => block));
    if (start === undefined || first < written + WRITE_EVERY_BLOCKS) return;
    written = first;
    // Without it a restart reads more events, and nothing else is lost.
    start.write(first).catch(() => {});
  }

  async function scheduleAt({ blockNumber, blockTimestamp }: ChainFacts, manager: string): Promise<Schedule> {
    const remembered = await beginning(manager, blockNumber);
    const filter = { address: manager, topics: [[...SCHEDULE_TOPICS]] };
    const range = [remembered.upTo + 1, blockNumber] as const;
    let { schedule, upTo: settledTo } = remembered;
    let pages = 0;
    for await (const { logs, upToBlock } of logPages(provider, filter, range, "the guard's schedule")) {
      const ofManager = logs.filter(({ address, removed }) => address === manager && !removed);
      const upTo = Math.min(upToBlock, blockNumber - REMEMBER_BEHIND_BLOCKS);
      const before = schedule;
      schedule = scheduleAfter(before, ofManager);
      if (upTo > settledTo) {
        const final = ofManager.filter((log) => log.blockNumber <= upTo);
        settle({ manager, upTo, schedule: scheduleAfter(before, final) }, blockTimestamp);
        settledTo = upTo;
      }
      pages += 1;
      if (pages === MOST_PAGES && upToBlock < blockNumber)
        throw new UpstreamUnavailable("What is scheduled of the guard is still being read.");
    }
    return schedule;
  }

  return {
    pendingAt: (chain, manager) =>
      memo(chain.blockHash, `schedule ${manager}`, async () => {
        const schedule = await scheduleAt(chain, manager);
        return pendingChanges(schedule, chain, { guard, manager });
      }),
  };
}
