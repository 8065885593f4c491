/** Payments in the forms in which they are shown: lines for people, JSON, CSV. */

import { wholeUnits } from "../../attestor/wholeUnits.ts";
import { csvLine } from "./csv.ts";
import type { PaymentRecord, Total } from "./report.ts";
import type { SoldReports } from "./sold.ts";
import { amountText, type Token } from "./tokens.ts";

/** ISO 8601, to the second. */
export const timeText = (seconds: number): string =>
  new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : timeText(seconds));

/** `job_… v1`, or `job_… v1-3` */
const boughtText = ({ jobId, versions }: PaymentRecord): string =>
  `${jobId} ${versions === 1 ? "v1" : `v1-${versions}`}`;

/** `12 s`, `3 min`, `5 h`, `2 d` */
function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

export function paymentLine(payment: PaymentRecord, token: Token | null): string {
  const { state, createdAt, amount, asset, network, payer, transaction, fault } = payment;
  return [
    timeText(createdAt),
    state.padEnd(8),
    amountText(amount, asset, token),
    network,
    `from ${payer}`,
    `for ${boughtText(payment)}`,
    state === "settled" ? `in ${transaction}` : fault === null ? "" : `(${fault})`,
  ]
    .join("  ")
    .trimEnd();
}

/** @param now unix seconds */
export function openLine(payment: PaymentRecord, token: Token | null, now: number): string {
  const { amount, asset, network, payer, createdAt, attempts, fault, validBefore } = payment;
  const left = validBefore - now;
  return [
    `${ageText(Math.max(0, now - createdAt)).padStart(6)} old`,
    amountText(amount, asset, token),
    network,
    `from ${payer}`,
    `for ${boughtText(payment)}`,
    `sent ${attempts} ${attempts === 1 ? "time" : "times"}`,
    left > 0 ? `valid for ${ageText(left)}` : `expired ${ageText(-left)} ago, the chain has not said so yet`,
    ...(fault === null ? [] : [`(${fault})`]),
  ].join("  ");
}

export function totalLine({ day, network, asset, payments, amount }: Total, token: Token | null): string {
  const sum = amountText(amount, asset, token);
  return [day, String(payments).padStart(7), sum.padStart(20), network, asset].join("  ");
}

/** Members in the order of the columns. `amount` is in whole units; null: the token's decimals are not known. */
export function paymentJson(payment: PaymentRecord, token: Token | null) {
  return {
    createdAt: timeText(payment.createdAt),
    state: payment.state,
    network: payment.network,
    asset: payment.asset,
    symbol: token?.symbol ?? null,
    amount: token === null ? null : wholeUnits(payment.amount, token.decimals),
    amountRaw: payment.amount,
    payer: payment.payer,
    payTo: payment.payTo,
    jobId: payment.jobId,
    versions: payment.versions,
    keyId: payment.keyId,
    settledAt: timeOrNull(payment.settledAt),
    transaction: payment.state === "settled" ? payment.transaction : null,
    blockNumber: payment.blockNumber,
    releasedAt: timeOrNull(payment.releasedAt),
    attempts: payment.attempts,
    fault: payment.fault,
    validBefore: timeText(payment.validBefore),
    nonce: payment.nonce,
  };
}

type PaymentJson = ReturnType<typeof paymentJson>;

export const CSV_COLUMNS = [
  "createdAt",
  "state",
  "network",
  "asset",
  "symbol",
  "amount",
  "amountRaw",
  "payer",
  "payTo",
  "jobId",
  "versions",
  "keyId",
  "settledAt",
  "transaction",
  "blockNumber",
  "releasedAt",
  "attempts",
  "fault",
  "validBefore",
  "nonce",
] as const satisfies readonly (keyof PaymentJson)[];

export function paymentCsv(payment: PaymentRecord, token: Token | null): string {
  const json = paymentJson(payment, token);
  return csvLine(CSV_COLUMNS.map((column) => json[column]));
}

export function totalJson({ day, network, asset, payments, amount }: Total, token: Token | null) {
  return {
    day,
    network,
    asset,
    symbol: token?.symbol ?? null,
    payments,
    amount: token === null ? null : wholeUnits(amount, token.decimals),
    amountRaw: amount.toString(),
  };
}

const WORDS: Record<SoldReports["payment"], string> = {
  free: "free: it was made in the free phase",
  required: "not paid for",
  settling: "being paid for: not settled yet",
  settled: "paid for",
};

export function soldLines(sold: SoldReports, paymentLines: readonly string[]): string[] {
  return [
    `${sold.jobId}  ${WORDS[sold.payment]}`,
    `made ${timeText(sold.createdAt)}${sold.keyId === null ? ", in one shot" : `, by key ${sold.keyId}`}`,
    ...sold.versions.map(
      ({ version, kind, decision, evidenceHash, createdAt }) =>
        `report v${version}  ${kind.padEnd(7)}  ${decision.padEnd(5)}  ${timeText(createdAt)}  evidence ${evidenceHash}`,
    ),
    ...paymentLines.map((line) => `payment  ${line}`),
  ];
}
