/** Brings one submitted transaction up to date with the chain. */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Observation } from "../../chain/transactions.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { type Classified, classify } from "./classify.ts";
import { postponeLook, type StoredExecution, updateExecution } from "./executions.ts";
import { publishEvidence } from "./guardEvents.ts";
import { listReports } from "./reports.ts";

export interface RefreshDeps {
  readonly db: Database;
  readonly chain: Pick<Chain, "deployment" | "observe">;
  readonly now: () => UnixMs;
  /** Depth in blocks after which a block counts as final, itself included. */
  readonly finalityBlocks: number;
  /** The shortest pause until it is asked for again, milliseconds. */
  readonly pollMs: number;
}

/** A transaction that no node knows for so long is `dropped`, but still looked for until `GIVE_UP_MS`. */
const DROPPED_AFTER_MS = 15 * 60_000;
const GIVE_UP_MS = 26 * 3_600_000;
/** The older a submission, the longer the pause: a part of its age, and no more than this. */
const KNOWN = { part: 10, slowestMs: 60_000 };
const UNKNOWN = { part: 4, slowestMs: 30 * 60_000 };

/**
 * What the chain says of it goes into the database. Where the node answers this one with an error, its next turn is
 * put off as if it were unknown, and nothing else changes.
 * @returns the error, if there was one
 * @throws DatabaseUnavailable
 */
export async function refresh(deps: RefreshDeps, execution: StoredExecution): Promise<unknown> {
  const { db, chain, now } = deps;
  const age = () => now() - execution.submitted_at * 1000;
  try {
    const observation = await chain.observe(execution.transaction_hash);
    await record(deps, execution, observation, age());
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const isOver = age() > GIVE_UP_MS && execution.state === "dropped";
    await postponeLook(db, execution.id, isOver ? null : nextLookAt(deps, age(), UNKNOWN));
    return error;
  }
}

async function record(deps: RefreshDeps, execution: StoredExecution, observation: Observation, age: number) {
  const { db, finalityBlocks } = deps;
  const seen = await stateOf(deps, execution, observation, age);
  const isFinal =
    observation.state === "mined" ? observation.confirmations >= finalityBlocks : age > GIVE_UP_MS;
  // Before it is noted that nothing can change any more: a crash in between has it looked at once more.
  if (isFinal && seen.confirmed !== null)
    await publishEvidence(db, [
      { jobId: jobIdHash(execution.job_id), evidenceHash: seen.confirmed.evidenceHash },
    ]);
  const pace = observation.state === "unknown" ? UNKNOWN : KNOWN;
  await updateExecution(db, execution.id, seen, isFinal ? null : nextLookAt(deps, age, pace));
}

function nextLookAt({ now, pollMs }: RefreshDeps, age: number, { part, slowestMs }: typeof KNOWN): UnixMs {
  const pause = Math.max(pollMs, Math.min(slowestMs, age / part));
  return now() + Math.round(pause);
}

async function stateOf(
  { db, chain }: RefreshDeps,
  execution: StoredExecution,
  observation: Observation,
  age: number,
): Promise<Classified> {
  if (observation.state === "mined") {
    const versions = (await listReports(db, execution.job_id)).map(({ version, evidence_hash }) => ({
      version,
      evidenceHash: evidence_hash,
    }));
    return classify({ id: execution.job_id, guard: chain.deployment.guard, versions }, observation);
  }
  const waiting = { reportVersion: execution.report_version, confirmed: null };
  if (observation.state === "unknown" && age > DROPPED_AFTER_MS)
    return { ...waiting, state: "dropped", reason: "No node knows the transaction any longer." };
  const takenBack = execution.state === "confirmed" || execution.state === "reverted";
  return {
    ...waiting,
    state: "submitted",
    reason: takenBack ? "A reorganization removed the block that held it." : execution.reason,
  };
}
