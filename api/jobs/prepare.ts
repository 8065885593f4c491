/**
 * Judges a job again and, when the trade is allowed, makes everything that a wallet needs to execute it: twice in five
 * minutes at most. A version that was allowed and not certified, because the process died or log or key could not sign, is
 * finished by the next call; every other call makes a version.
 *
 * Two calls may be at work on one version. The first to store its certificate has it, and the other one makes a version of
 * its own. So each answer with a certificate has a version of its own, and there are no more of them than versions.
 */
import { isDeepStrictEqual } from "node:util";
import { keccak256 } from "ethers";
import { authorize } from "../../attestor/attest.ts";
import { buildExecution, type Execution } from "../../attestor/certificate/execution.ts";
import { type ChainFacts, GuardFacts } from "../../attestor/evidence/facts.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import { registryHash } from "../../attestor/registry.ts";
import type { Report } from "../../attestor/report.ts";
import { addressOf } from "../../attestor/values/primitives.ts";
import type { UnixSeconds } from "../../attestor/values/time.ts";
import { type Limit, overLimit } from "../http/limits.ts";
import { Problem } from "../http/problems.ts";
import { type JobDeps, seconds } from "./deps.ts";
import { digestOf, newSignToken } from "./ids.ts";
import { gather, judge } from "./judge.ts";
import { judgeable } from "./judgeable.ts";
import { nextNonce } from "./nonces.ts";
import { appendReport, findReport, type PreparedVersion, preparedAfter, storeExecution } from "./reports.ts";
import type { StoredJob } from "./store.ts";

/** The limit in the response headers. */
const OF_PREPARING = { name: "prepare", quota: 2, windowSeconds: 300, scope: "job" } as const satisfies Limit;

interface Prepared {
  readonly report: Report;
  /** null: the trade was denied. */
  readonly execution: Execution | null;
  /** Opens this version until the trade can no longer be executed; null: the trade was denied. */
  readonly signToken: string | null;
}

interface Call {
  readonly job: StoredJob;
  readonly policy: Policy;
  /** How long the trade intent may be executed. */
  readonly deadlineSeconds: number;
}

/**
 * @throws Problem `job_expired`, `rate_limited`; Problem `unavailable` while the decision log or the attestation key
 *   cannot sign; UpstreamUnavailable. Before judging none of them counts against the limit; afterwards the next call
 *   finishes the version
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
  return (await finishEarlier(deps, call)) ?? (await prepareNew(deps, call));
}

/** @returns null where no version is to be finished, or another call was faster */
async function finishEarlier(deps: JobDeps, call: Call): Promise<Prepared | null> {
  const now = seconds(deps);
  const versions = await preparedAfter(deps.db, call.job.id, now - OF_PREPARING.windowSeconds);
  const open = unfinished(versions);
  const report = open && (await findReport(deps.db, call.job.id, open.version));
  const block = report && (await blockToFinishAt(deps, report, call.policy));
  const finished = report && block && (await finish(deps, call, report, { block, from: now }));
  if (finished) return finished;
  // Not to gather in vain; what counts is asked again when the version is stored.
  assertRoom(versions, now);
  return null;
}

async function prepareNew(deps: JobDeps, call: Call): Promise<Prepared> {
  const { job, policy } = call;
  const gathered = await gather(deps, job.intent);
  const report = await appendReport(
    deps,
    job.id,
    async (trx) => {
      const now = seconds(deps);
      assertRoom(await preparedAfter(trx, job.id, now - OF_PREPARING.windowSeconds), now);
    },
    (version) => judge(deps, job, policy, gathered, version),
  );
  if (report.decision === "DENY") return { report, execution: null, signToken: null };
  const { chain: block } = gathered.facts;
  const prepared = await finish(deps, call, report, { block, from: gathered.capturedAt });
  return prepared ?? (await prepareNew(deps, call));
}

/** @throws Problem `rate_limited` */
function assertRoom(versions: readonly PreparedVersion[], now: UnixSeconds): void {
  const { quota, windowSeconds } = OF_PREPARING;
  if (versions.length < quota) return;
  const oldest = Math.min(...versions.map(({ createdAt }) => createdAt));
  const waitSeconds = Math.max(1, oldest + windowSeconds - now);
  throw overLimit(OF_PREPARING, waitSeconds, "A job can be prepared at most twice in five minutes.");
}

/** The newest that is allowed and not certified, unless a later one denies the trade. @param versions newest first */
function unfinished(versions: readonly PreparedVersion[]): PreparedVersion | null {
  const denied = versions.findIndex(({ decision }) => decision === "DENY");
  const standing = denied === -1 ? versions : versions.slice(0, denied);
  return standing.find(({ isCertified }) => !isCertified) ?? null;
}

/**
 * The newest block, where a version may be certified still: by the policy's age limit of quotes, while a certificate of it
 * would hold, by the registry of now, and where the guard says what the version was judged by.
 */
async function blockToFinishAt(
  deps: JobDeps,
  { evidence, registryHash: judgedBy }: Report,
  { definition }: Policy,
): Promise<ChainFacts | null> {
  const { maxQuoteAgeSeconds, certificateLifetimeSeconds } = definition;
  const age = seconds(deps) - evidence.chain.blockTimestamp;
  if (Math.abs(age) > maxQuoteAgeSeconds || age >= certificateLifetimeSeconds) return null;
  if (judgedBy !== registryHash(deps.chain.deployment.registry)) return null;
  const now = await deps.chain.standing(evidence.intent, evidence.quote?.routeName ?? "");
  return isDeepStrictEqual(GuardFacts.parse(now.guard), evidence.guard) ? now.chain : null;
}

/** At which block the allowance is read, and from when on the deadline counts. */
interface Moment {
  readonly block: ChainFacts;
  readonly from: UnixSeconds;
}

/**
 * Certifies an allowed version. Nothing is certified that the log could still leave out.
 * @returns null where another call has certified this version
 */
async function finish(
  deps: JobDeps,
  { job, policy, deadlineSeconds }: Call,
  report: Report,
  { block, from }: Moment,
): Promise<Prepared | null> {
  const { db, chain, attestation, log } = deps;
  const { ownerAddress, inputAssetKey } = job.intent;
  const [nonce, currentAllowance, proof] = await Promise.all([
    nextNonce(db, chain, ownerAddress, attestation.current()),
    chain.allowance(addressOf(inputAssetKey), ownerAddress, block),
    log.signed(report),
  ]);
  // The guard judges it by block time: a clock that is behind must not make it too early.
  const deadline = Math.max(from, block.blockTimestamp) + deadlineSeconds;
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
  const signToken = newSignToken(deps.random);
  const isFirst = await storeExecution(db, report, execution, {
    // The guard refuses the trade after either; the earlier one ends it.
    deadline: Math.min(deadline, Number(authorized.certificate.expiresAt)),
    signDigest: digestOf(signToken),
  });
  if (!isFirst) return null;
  return { report: { ...report, log: report.log && { ...report.log, proof } }, execution, signToken };
}

function routeCall({ chain }: JobDeps, { evidence }: Report, deadline: UnixSeconds): string {
  const { quote, figures, guard } = evidence;
  if (quote === null || figures.minAmountOutRaw === null) throw new Error("an allowed trade has a quote");
  const { executor } = guard;
  return chain.routeCall(quote, { executor, minAmountOut: figures.minAmountOutRaw, deadline });
}
