/**
 * What a page shows of a verification: values and codes, without words of any language. Of a report it shows what came of
 * judging the evidence again; what the document says of itself is shown only where it says that it is a claim.
 */
import * as z from "zod";
import { jobIdHash, VerificationCertificate } from "../certificate/certificate.ts";
import type { Finding } from "../checks/check.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Fact } from "../factKinds.ts";
import { parseCheckpoint } from "../log/checkpoint.ts";
import { parseNote } from "../log/note.ts";
import { parseTlogProof } from "../log/tlogProof.ts";
import type { Report } from "../report.ts";
import { asRecord } from "../values/json.ts";
import { addressOf, Bytes32 } from "../values/primitives.ts";
import type { UnixSeconds } from "../values/time.ts";
import { wholeUnits } from "../values/wholeUnits.ts";
import { restsOn, type Verification } from "../verify/verification.ts";
import { checkWords, type FindingView, tokensOf, type Unit } from "./findingWords.ts";
import { printableAll } from "./printable.ts";
import { faultText, reservationText } from "./stepWords.ts";
import { headlineOf, summaryOf } from "./summary.ts";

/** The proof of the decision log as the document has it. */
export interface LogView {
  readonly origin: string | null;
  readonly index: number | null;
  readonly size: number | null;
  /** Names of those who signed the checkpoint, by its own word. */
  readonly signedBy: readonly string[];
}

/** With how old it was when the trade was judged. */
export interface FactRow extends Fact {
  /** Seconds; negative: of the future. */
  readonly ageSeconds: number | null;
}

export type ReportView = ReturnType<typeof viewOf>;

/**
 * @param document what was verified, as parsed JSON; null where it could not be parsed
 * @param now unix seconds, by the reader's clock
 */
export function viewOf(verification: Verification, document: unknown, now: UnixSeconds) {
  const { verdict, steps, reservations, isConsistent, evidenceHash, report } = verification;
  return printableAll({
    ...headlineOf(verification, { now }),
    /** What `assay verify` prints below the headline. */
    summary: summaryOf(verification, { now }).slice(1),
    isConsistent,
    steps: steps.map(({ name, outcome, faults }) => ({ name, outcome, details: faults.map(faultText) })),
    /** By code: for a page that can give what is missing. */
    faults: steps.flatMap((step) => step.faults.map(({ code }) => code)),
    reservations: reservations.map((one) => ({
      kind: one.kind,
      code: one.code,
      flag: one.flag,
      text: reservationText(one),
    })),
    /** As recomputed; null where there was nothing to hash. */
    evidenceHash,
    /** null: the evidence could not be judged again, or the document contradicts itself; nothing of it is shown. */
    judged: report === null || verdict === "INVALID" ? null : judgedView(report, verification, document),
  });
}

/** What of a verification the view of a report needs; without steps nothing is said to hold. */
export type Told = Pick<Verification, "steps" | "reservations" | "facts" | "intentHash" | "issuance">;

export type JudgedView = ReturnType<typeof judgedView>;

/**
 * The parts of a report.
 * @param report as judged again, or as its own service stored it
 * @param document the document with it, as parsed JSON
 */
export function judgedView(report: Report, verification: Told, document: unknown) {
  const { evidence, findings } = report;
  const { chain } = evidence;
  const envelope = asRecord(document);
  return {
    jobId: report.jobId,
    version: report.version,
    decision: report.decision,
    schema: evidence.schema,
    evidenceHash: report.evidenceHash,
    policy: { policyId: report.policyId, version: evidence.policy.version, hash: report.policyHash },
    registry: { version: report.registryVersion, hash: report.registryHash },
    capturedAt: evidence.capturedAt,
    block: { chainId: chain.chainId, number: chain.blockNumber, hash: chain.blockHash },
    trade: tradeView(evidence),
    tokens: tokensOf(evidence.trade),
    findings: findings.map((finding) => findingView(finding, evidence.trade)),
    passed: findings.filter(({ outcome }) => outcome === "pass").length,
    figures: figureViews(evidence),
    facts: verification.facts.map(
      (fact): FactRow => ({ ...fact, ageSeconds: fact.at === null ? null : evidence.capturedAt - fact.at }),
    ),
    /** Whether what is proved is of a block that the reader has from the chain, and rests on no condition. */
    isBlockKnown: !restsOn(verification, "block_of_proof"),
    certificate: certificateView(envelope?.execution, verification),
    event: eventView(report, verification, envelope?.executions),
    log: logView((asRecord(envelope?.report) ?? envelope)?.log, verification.steps),
  };
}

function findingView(finding: Finding, trade: Evidence["trade"]): FindingView {
  const { question, unit } = checkWords(finding.check);
  return { ...finding, question, unit, token: unit === "raw" ? tokensOf(trade).output : null };
}

function tradeView(evidence: Evidence) {
  const { intent, trade, figures } = evidence;
  const { side, symbol, underlying, stockAssetKey, inputDecimals, outputDecimals } = trade;
  const settlementKey = side === "buy" ? intent.inputAssetKey : intent.outputAssetKey;
  return {
    side,
    symbol,
    underlying,
    settlementSymbol: trade.settlementSymbol,
    stockAddress: addressOf(stockAssetKey),
    settlementAddress: addressOf(settlementKey),
    /** Whole tokens, a decimal; exact. */
    amountIn: wholeUnits(intent.amountInRaw, inputDecimals),
    /** Whole tokens, a decimal; exact; null without a quote. */
    minAmountOut:
      figures.minAmountOutRaw === null ? null : wholeUnits(figures.minAmountOutRaw, outputDecimals),
    owner: intent.ownerAddress,
    recipient: intent.recipientAddress,
    maxSlippageBps: intent.maxSlippageBps,
  };
}

const FIGURE_UNITS: Readonly<Record<string, Unit>> = {
  settlementPriceUsd: "USD",
  notionalUsd: "USD",
  referencePriceUsd: "USD",
  sharesPerToken: "count",
  tokenPricePerShareUsd: "USD",
  premiumBps: "bps",
  impactBps: "bps",
  minAmountOutRaw: "raw",
};

const figureViews = ({ figures, trade }: Evidence) =>
  Object.entries(figures).map(([name, value]) => {
    const unit = FIGURE_UNITS[name] ?? "text";
    return { name, value, unit, token: unit === "raw" ? tokensOf(trade).output : null };
  });

const Certified = z.looseObject({ certificate: z.looseObject({ message: VerificationCertificate }) });

export type CertificateView = NonNullable<ReturnType<typeof certificateView>>;

/** The certificate as the document has it: whether it is worth anything say the steps. */
function certificateView(execution: unknown, { issuance, steps }: Told) {
  const parsed = Certified.safeParse(execution);
  if (!parsed.success) return null;
  const { issuedAt, expiresAt, reportVersion, intentHash } = parsed.data.certificate.message;
  return {
    issuedAt: Number(issuedAt),
    expiresAt: Number(expiresAt),
    reportVersion,
    intentHash,
    /** By its signature; null where that does not hold. */
    signer: issuance?.signer ?? null,
    /** Whether certificate and signature hold, and nothing else about the execution contradicts. */
    holds:
      issuance !== null && steps.some(({ name, outcome }) => name === "certificate" && outcome !== "wrong"),
  };
}

const Claims = z.array(z.looseObject({ transactionHash: Bytes32, state: z.string().max(40) })).max(100);

/** The event that the guard gives when it carries the trade out; nobody asked a chain for it. */
function eventView({ evidence, evidenceHash, jobId }: Report, { intentHash }: Told, executions: unknown) {
  const claims = Claims.safeParse(executions).data ?? [];
  return {
    chainId: evidence.chain.chainId,
    guard: evidence.guard.address,
    jobIdHash: jobIdHash(jobId),
    evidenceHash,
    intentHash,
    /** Transactions of which the document says that they carried it out. */
    claimed: claims.map(({ transactionHash, state }) => ({ transactionHash, state })),
  };
}

/** null: nothing was asked of a log, and the document has none. */
function logView(log: unknown, steps: Told["steps"]): LogView | null {
  const step = steps.find(({ name }) => name === "log");
  if (step === undefined || (step.outcome === "not asked" && log === undefined)) return null;
  return proofOf(asRecord(log)?.proof);
}

function proofOf(proof: unknown): LogView {
  const nothing = { origin: null, index: null, size: null, signedBy: [] };
  if (typeof proof !== "string") return nothing;
  try {
    const { index, checkpoint } = parseTlogProof(proof);
    const { text, signatures } = parseNote(checkpoint);
    const { origin, size } = parseCheckpoint(text);
    return { origin, index, size, signedBy: [...new Set(signatures.map(({ name }) => name))] };
  } catch {
    // Its step says what is wrong with it.
    return nothing;
  }
}
