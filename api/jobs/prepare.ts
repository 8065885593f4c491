/** Judges a job again and, when the trade is allowed, makes everything that a wallet needs to execute it. */
import { isDeepStrictEqual } from "node:util";
import { keccak256 } from "ethers";
import { authorize } from "../../attestor/attest.ts";
import { buildExecution, type Execution } from "../../attestor/certificate/execution.ts";
import { type ChainFacts, GuardFacts } from "../../attestor/evidence/facts.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import { registryHash } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { overLimit } from "../http/limits.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { digestOf, newSignToken } from "./ids.ts";
import { gather, judge } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import { nextNonce } from "./nonces.ts";
import {
  type JudgedSlot,
  judgedPrepareSlot,
  keepPrepareSlot,
  OF_PREPARING,
  releasePrepareSlot,
  resumePrepareSlot,
  type Slot,
  takePrepareSlot,
} from "./prepareLimit.ts";
import { appendReport, findReport, listReports, type StoredJob, storeExecution } from "./store.ts";

interface Prepared {
  readonly report: Report;
  /** null: the trade was denied. */
  readonly execution: Execution | null;
  /** Opens this version until the trade can no longer be executed; null: the trade was denied. */
  readonly signToken: string | null;
}

/**
 * Judges the job again, or continues with a version that an earlier call judged but could not certify.
 * @param deadlineSeconds how long the trade intent may be executed
 * @throws Problem `job_expired`, `rate_limited`; Problem `unavailable` while the decision log or the attestation key
 *   cannot sign; UpstreamUnavailable. Before judging none of them counts against the limit; afterwards the next call
 *   continues with the version
 */
export async function prepareExecution(
  deps: JobDeps,
  job: StoredJob,
  deadlineSeconds: number,
): Promise<Prepared> {
  if (seconds(deps) >= job.expiresAt)
    throw new Problem("job_expired", "The job expired 24 hours after it was created; create a new one.");
  await deps.log.assertSigning();
  deps.attestation.assertSigning();
  const call = { job, policy: judgeable(deps, job.intent, job.policyVersion), deadlineSeconds };
  const judged = await resumePrepareSlot(deps.db, deps.process, job.id, deps.clock());
  const resumed = judged && (await holding(deps, judged, () => resume(deps, call, judged)));
  if (resumed !== null) return resumed;
  const slot = await takePrepareSlot(deps.db, deps.process, job.id, deps.clock());
  if ("waitMs" in slot)
    throw overLimit(
      OF_PREPARING,
      slot.waitMs / 1_000,
      "A job can be prepared at most twice in five minutes.",
    );
  return await holding(deps, slot, () => prepare(deps, call, slot));
}

interface Call {
  readonly job: StoredJob;
  readonly policy: Policy;
  readonly deadlineSeconds: number;
}

async function holding<T>({ db }: JobDeps, slot: Slot, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // When the database is what failed, this fails too: the slot then stays lent until its lease ends.
    await releasePrepareSlot(db, slot).catch(() => {});
    throw error;
  }
}

async function prepare(deps: JobDeps, call: Call, slot: Slot): Promise<Prepared> {
  const { db } = deps;
  const { job, policy, deadlineSeconds } = call;
  const { report, gathered } = await judge(deps, {
    job,
    policy,
    facts: () => gatherWithTerms(deps, job.intent),
    numbered: (reportOf) =>
      appendReport(db, job.id, reportOf, async (trx, { version, decision, evidence }) => {
        await deps.rawAnswers.store(trx, evidence);
        await (decision === "DENY" ? keepPrepareSlot(trx, slot) : judgedPrepareSlot(trx, slot, version));
      }),
  });
  deps.rawAnswers.committed(report.evidence);
  if (report.decision === "DENY") return { report, execution: null, signToken: null };
  const logged = await awaitLog(deps, report);
  const deadline = deadlineOf(gathered.capturedAt, gathered.facts.chain, deadlineSeconds);
  return { report: logged, ...(await certify(deps, policy, slot, report, { ...gathered, deadline })) };
}

/**
 * Resumes a version that was judged but not certified because log or key could not sign. Conditions: its block counts as
 * recent, the guard is unchanged, and no later version denies the trade.
 * @returns null where they fail, which is final: the version stays as it is
 */
async function resume(deps: JobDeps, call: Call, slot: JudgedSlot): Promise<Prepared | null> {
  const { db, chain, attestation } = deps;
  const { job, policy, deadlineSeconds } = call;
  const report = await findReport(db, job.id, slot.version);
  const again =
    report &&
    isRecent(report, policy, seconds(deps)) &&
    (await isStanding(deps, report)) &&
    (await chainAgain(deps, report));
  if (!report || !again) {
    await keepPrepareSlot(db, slot);
    return null;
  }
  const { ownerAddress } = job.intent;
  const [nonce, currentAllowance, logged] = await Promise.all([
    nextNonce(db, chain, ownerAddress, attestation.current()),
    allowanceAt(deps, job.intent, again),
    awaitLog(deps, report),
  ]);
  const terms = {
    nonce,
    currentAllowance,
    deadline: deadlineOf(seconds(deps), again, deadlineSeconds),
  };
  return { report: logged, ...(await certify(deps, policy, slot, report, terms)) };
}

/** The guard judges it by block time: a clock that is behind must not make it too early. */
const deadlineOf = (now: UnixSeconds, { blockTimestamp }: ChainFacts, deadlineSeconds: number): UnixSeconds =>
  Math.max(now, blockTimestamp) + deadlineSeconds;

/** By the policy's age limit of quotes, and while a certificate of it would still hold. */
function isRecent({ evidence }: Report, { definition }: Policy, now: UnixSeconds): boolean {
  const { maxQuoteAgeSeconds, certificateLifetimeSeconds } = definition;
  return (
    Math.abs(now - evidence.chain.blockTimestamp) <= maxQuoteAgeSeconds &&
    now < evidence.chain.blockTimestamp + certificateLifetimeSeconds
  );
}

/** By the registry of now, and nobody who judged the job since has denied the trade: a call beside, say. */
async function isStanding({ db, chain }: JobDeps, report: Report): Promise<boolean> {
  if (report.registryHash !== registryHash(chain.deployment.registry)) return false;
  const versions = await listReports(db, report.jobId);
  return !versions.some(({ version, decision }) => version > report.version && decision === "DENY");
}

/** The newest block, where the guard says there what the report was judged by; else null. */
async function chainAgain({ chain }: JobDeps, { evidence }: Report): Promise<ChainFacts | null> {
  const now = await chain.standing(evidence.intent, evidence.quote?.routeName ?? "");
  const isAlike = isDeepStrictEqual(GuardFacts.parse(now.guard), evidence.guard);
  return isAlike ? now.chain : null;
}

/** Nothing is certified that the log could still leave out. @returns the report with its proof */
async function awaitLog({ log }: JobDeps, report: Report): Promise<Report> {
  const proof = await log.signed(report);
  return { ...report, log: report.log && { ...report.log, proof } };
}

/** What a certificate and its calls are made from besides the report. */
interface Terms {
  readonly nonce: bigint;
  readonly currentAllowance: bigint;
  /** Unix seconds. */
  readonly deadline: UnixSeconds;
}

/** Signs, and stores what was signed: the version is certified once. */
async function certify(deps: JobDeps, policy: Policy, slot: Slot, report: Report, terms: Terms) {
  const { execution, end } = await certified(deps, policy, report, terms);
  const signToken = newSignToken(deps.random);
  await deps.db.transaction().execute(async (trx) => {
    await keepPrepareSlot(trx, slot);
    await storeExecution(trx, report, execution, { deadline: end, signDigest: digestOf(signToken) });
  });
  return { execution, signToken };
}

/** The facts, and what else a certificate and its calls are made from. */
async function gatherWithTerms(deps: JobDeps, intent: Intent) {
  const [gathered, nonce] = await Promise.all([
    gatherWithAllowance(deps, intent),
    nextNonce(deps.db, deps.chain, intent.ownerAddress, deps.attestation.current()),
  ]);
  return { ...gathered, nonce };
}

/** The facts, and what the guard may take of the input token at their block. */
async function gatherWithAllowance(deps: JobDeps, intent: Intent) {
  const gathered = await gather(deps, intent);
  return { ...gathered, currentAllowance: await allowanceAt(deps, intent, gathered.facts.chain) };
}

const allowanceAt = ({ chain }: JobDeps, { inputAssetKey, ownerAddress }: Intent, block: ChainFacts) =>
  chain.allowance(addressOf(inputAssetKey), ownerAddress, block);

/** The signed certificate with the calls that it is for, and when the guard begins to refuse them in unix seconds. */
async function certified(
  deps: JobDeps,
  policy: Policy,
  report: Report,
  { nonce, currentAllowance, deadline }: Terms,
): Promise<{ execution: Execution; end: number }> {
  const { attestation } = deps;
  const routeCallData = routeCall(deps, report, deadline);
  const authorized = authorize(policy, report, {
    callDataHash: keccak256(routeCallData),
    nonce: nonce.toString(),
    deadline,
  });
  // The key that the evidence names, which is the one that the guard named at that block.
  const signer = attestation.signerOf(report.evidence.guard.attestor);
  const execution = buildExecution(report, {
    ...authorized,
    signature: await signer.sign(authorized.certificate),
    signer: signer.address,
    routeCallData,
    currentAllowance: currentAllowance.toString(),
  });
  // The guard refuses the trade after either; the earlier one ends it.
  const end = Math.min(deadline, Number(authorized.certificate.expiresAt));
  return { execution, end };
}

function routeCall({ chain }: JobDeps, { evidence }: Report, deadline: number): string {
  const { quote, figures, guard } = evidence;
  if (quote === null || figures.minAmountOutRaw === null) throw new Error("an allowed trade has a quote");
  const { executor } = guard;
  return chain.routeCall(quote, { executor, minAmountOut: figures.minAmountOutRaw, deadline });
}
