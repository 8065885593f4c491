/** Judges a job again and, when the trade is allowed, makes everything that a wallet needs to execute it. */
import { keccak256 } from "ethers";
import { authorize } from "../../attestor/attest.ts";
import type { Facts } from "../../attestor/evidence/facts.ts";
import type { Intent } from "../../attestor/intent.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { Report } from "../../attestor/report.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { executionPackage } from "../../chain/guard/calls.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { gather, judge } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import { nextNonce } from "./nonces.ts";
import { keepPrepareSlot, releasePrepareSlot, type Slot, takePrepareSlot } from "./prepareLimit.ts";
import { appendReport, type StoredJob, storeExecution } from "./store.ts";

type ExecutionPackage = ReturnType<typeof executionPackage>;

/**
 * @param deadlineSeconds how long the trade intent may be executed
 * @throws Problem `job_expired`, `rate_limited`; Problem `unavailable` while the decision log has no signed checkpoint
 *   of the judgement or the attestation key cannot sign, and UpstreamUnavailable, none of which costs a call of the limit
 */
export async function prepareExecution(
  deps: JobDeps,
  job: StoredJob,
  deadlineSeconds: number,
): Promise<{ report: Report; execution: ExecutionPackage | null }> {
  if (seconds(deps) >= job.expiresAt)
    throw new Problem("job_expired", "The job expired 24 hours after it was created; create a new one.");
  const slot = await takePrepareSlot(deps.db, deps.process, job.id, deps.clock());
  if ("waitMs" in slot)
    throw new Problem("rate_limited", "A job can be prepared at most twice in five minutes.", {
      retryAfterSeconds: Math.ceil(slot.waitMs / 1000),
    });
  try {
    return await prepare(deps, job, slot, deadlineSeconds);
  } catch (error) {
    // When the database is what failed, this fails too: the slot then stays taken until its window ends.
    await releasePrepareSlot(deps.db, slot).catch(() => {});
    throw error;
  }
}

async function prepare(deps: JobDeps, job: StoredJob, slot: Slot, deadlineSeconds: number) {
  const { attestation, db } = deps;
  const { intent } = job;
  await deps.log.assertSigning();
  attestation.assertSigning();
  const policy = judgeable(deps, intent, job.policyVersion);
  const { report, gathered } = await judge(deps, {
    job,
    policy,
    facts: () => gatherWithTerms(deps, intent),
    numbered: (reportOf) =>
      appendReport(db, job.id, reportOf, async (trx, { decision, evidence }) => {
        await deps.rawAnswers.store(trx, evidence);
        if (decision === "DENY") await keepPrepareSlot(trx, slot);
      }),
  });
  deps.rawAnswers.committed(report.evidence);
  if (report.decision === "DENY") return { report, execution: null };
  // Nothing is certified that the log could still leave out.
  const proof = await deps.tracer.step("await log checkpoint", "inside", {}, () => deps.log.signed(report));
  const logged = { ...report, log: report.log && { ...report.log, proof } };
  const deadline = gathered.capturedAt + deadlineSeconds;
  const { execution, end } = await deps.tracer.step("certify", "inside", {}, () =>
    certified(deps, policy, gathered, report, deadline),
  );
  await db.transaction().execute(async (trx) => {
    await keepPrepareSlot(trx, slot);
    await storeExecution(trx, report, execution, end);
  });
  return { report: logged, execution };
}

type Gathered = Awaited<ReturnType<typeof gatherWithTerms>>;

/** The facts, and what else a certificate and its calls are made from. */
async function gatherWithTerms(deps: JobDeps, intent: Intent) {
  const [gathered, nonce, edition] = await Promise.all([
    gatherWithAllowance(deps, intent),
    nextNonce(deps.db, deps.chain, intent.ownerAddress, deps.attestation.current()),
    deps.chain.guardEdition(),
  ]);
  return { ...gathered, nonce, edition };
}

/** The facts, and what the guard may take of the input token at their block. */
async function gatherWithAllowance(deps: JobDeps, intent: Intent) {
  const gathered = await gather(deps, intent);
  const { inputAssetKey, ownerAddress } = intent;
  const currentAllowance = await deps.chain.allowance(
    addressOf(inputAssetKey),
    ownerAddress,
    gathered.facts.chain,
  );
  return { ...gathered, currentAllowance };
}

/** The signed certificate with the calls that it is for, and when the guard begins to refuse them in unix seconds. */
async function certified(
  deps: JobDeps,
  policy: Policy,
  { facts, nonce, currentAllowance, edition }: Gathered,
  report: Report,
  deadline: UnixSeconds,
): Promise<{ execution: ExecutionPackage; end: number }> {
  const { chain, attestation } = deps;
  const routeCallData = routeCall(deps, facts, report, deadline);
  const authorized = authorize(policy, report, {
    callDataHash: keccak256(routeCallData),
    nonce: nonce.toString(),
    deadline,
  });
  // The key that the evidence names, which is the one that the guard named at that block.
  const signer = attestation.signerOf(report.evidence.guard.attestor);
  const execution = executionPackage(chain.deployment.chainId, chain.deployment.guard, {
    ...authorized,
    signature: await signer.sign(authorized.certificate),
    signer: signer.address,
    routeCallData,
    currentAllowance,
    report,
    edition,
  });
  // The guard refuses the trade after either; the earlier one ends it.
  const end = Math.min(deadline, Number(authorized.certificate.expiresAt));
  return { execution, end };
}

function routeCall({ chain }: JobDeps, { quote }: Facts, report: Report, deadline: number): string {
  const minAmountOut = report.evidence.figures.minAmountOutRaw;
  if (quote === null || minAmountOut === null) throw new Error("an allowed trade has a quote");
  // The executor at the evidence's block: it may have been renewed since the guard was deployed.
  const { executor } = report.evidence.guard;
  return chain.routeCall(quote, { executor, minAmountOut, deadline });
}
