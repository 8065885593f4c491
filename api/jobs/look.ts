/** One look at one submitted transaction. */
import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Observation } from "../../chain/transactions.ts";
import { isDatabaseUnavailable } from "../../database/errors.ts";
import type { Database } from "../../database/open.ts";
import { type Classified, classify } from "./classify.ts";
import { postponeLook, type StoredExecution, updateExecution } from "./executions.ts";
import { nextOfKnown, nextOfUnknown } from "./lookOrder.ts";
import { publishEvidence } from "./publishEvidence.ts";
import { listReports } from "./store.ts";

export interface LookDeps {
  readonly db: Database;
  readonly chain: Pick<Chain, "deployment" | "observe">;
  readonly clock: () => UnixMs;
  /** Depth in blocks after which a block counts as final. */
  readonly finalityBlocks: number;
  readonly pollMs: number;
}

/** A transaction that no node knows for so long is `dropped`, but still looked for until `GIVE_UP_MS`. */
const DROPPED_AFTER_MS = 15 * 60_000;
const GIVE_UP_MS = 26 * 3_600_000;

/**
 * What the chain says of it goes into the database. Where the node answers this one with an error, its next look is
 * put off as if it were unknown, and nothing else changes.
 * @returns the error, if there was one
 * @throws DatabaseUnavailable
 */
export async function look(deps: LookDeps, execution: StoredExecution): Promise<unknown> {
  const { db, clock, pollMs } = deps;
  const age = () => clock() - execution.submitted_at * 1000;
  try {
    await judge(deps, execution, await deps.chain.observe(execution.transaction_hash), age());
    return undefined;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const { rank, nextLookAt } = nextOfUnknown(clock(), age(), pollMs);
    const isOver = age() > GIVE_UP_MS && execution.state === "dropped";
    await postponeLook(db, execution.id, { rank, nextLookAt: isOver ? null : nextLookAt });
    return error;
  }
}

async function judge(deps: LookDeps, execution: StoredExecution, observation: Observation, age: number) {
  const seen = await stateOf(deps, execution, observation, age);
  const next =
    observation.state === "unknown"
      ? nextOfUnknown(deps.clock(), age, deps.pollMs)
      : nextOfKnown(execution.look_rank, deps.clock(), age, deps.pollMs);
  const isFinal =
    observation.state === "mined" ? observation.confirmations >= deps.finalityBlocks : age > GIVE_UP_MS;
  // Before it is noted that nothing can change any more: a crash in between has it looked at once more.
  if (isFinal && seen.confirmed !== null)
    await publishEvidence(deps.db, [
      { jobId: jobIdHash(execution.job_id), evidenceHash: seen.confirmed.evidenceHash },
    ]);
  await updateExecution(deps.db, execution.id, seen, {
    rank: next.rank,
    nextLookAt: isFinal ? null : next.nextLookAt,
  });
}

async function stateOf(
  { db, chain }: LookDeps,
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
