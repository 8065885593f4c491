/** Payments in the forms in which they are shown: lines for people, JSON, CSV. */

import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { ageText, isoTime } from "../typed.ts";
import type { PaymentRecord } from "./ledger.ts";
import type { Token } from "./open.ts";
import type { RefundRow } from "./refunds.ts";

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : isoTime(seconds));

const wholeOrNull = (raw: string | bigint, token: Token | null): string | null =>
  token === null ? null : wholeUnits(raw, token.decimals);

/** `job_… v1`, or `job_… v1-3` */
const boughtText = ({ jobId, versions }: PaymentRecord): string =>
  `${jobId} ${versions === 1 ? "v1" : `v1-${versions}`}`;

/** `0.01 USDL`, or the raw units and the contract where the token is not known. */
export function amountText(raw: string | bigint, asset: string, token: Token | null): string {
  return token === null
    ? `${raw} raw units of ${asset}`
    : `${wholeUnits(raw, token.decimals)} ${token.symbol}`;
}

export function paymentLine(payment: PaymentRecord, token: Token | null): string {
  const { state, createdAt, amount, asset, network, payer } = payment;
  return [
    isoTime(createdAt),
    state.padEnd(8),
    amountText(amount, asset, token),
    network,
    `from ${payer}`,
    `for ${boughtText(payment)}`,
    endText(payment),
    refundText(payment),
  ]
    .join("  ")
    .trimEnd();
}

function endText({ state, transaction, fault }: PaymentRecord): string {
  if (state === "settled") return `in ${transaction}`;
  return fault === null ? "" : `(${fault})`;
}

function refundText({ refund, refundTransaction }: PaymentRecord): string {
  if (refund === null) return "";
  return refund === "confirmed" ? `refunded in ${refundTransaction}` : `refund ${refund}`;
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
    left > 0 ? `valid for ${ageText(left)}` : `expired ${ageText(-left)} ago, not yet confirmed by the chain`,
    ...(fault === null ? [] : [`(${fault})`]),
  ].join("  ");
}

/** A payment in JSON and CSV. `amount` is in whole units; null: the token's decimals are not known. */
const PAYMENT_MEMBERS = {
  createdAt: ({ createdAt }) => isoTime(createdAt),
  state: ({ state }) => state,
  network: ({ network }) => network,
  asset: ({ asset }) => asset,
  symbol: (_, token) => token?.symbol ?? null,
  amount: ({ amount }, token) => wholeOrNull(amount, token),
  amountRaw: ({ amount }) => amount,
  payer: ({ payer }) => payer,
  payTo: ({ payTo }) => payTo,
  jobId: ({ jobId }) => jobId,
  versions: ({ versions }) => versions,
  keyId: ({ keyId }) => keyId,
  settledAt: ({ settledAt }) => timeOrNull(settledAt),
  transaction: ({ state, transaction }) => (state === "settled" ? transaction : null),
  blockNumber: ({ blockNumber }) => blockNumber,
  releasedAt: ({ releasedAt }) => timeOrNull(releasedAt),
  attempts: ({ attempts }) => attempts,
  fault: ({ fault }) => fault,
  validBefore: ({ validBefore }) => isoTime(validBefore),
  nonce: ({ nonce }) => nonce,
  refund: ({ refund }) => refund,
  refundTransaction: ({ refund, refundTransaction }) => (refund === "confirmed" ? refundTransaction : null),
  refundedAt: ({ refundedAt }) => timeOrNull(refundedAt),
} satisfies Record<string, (payment: PaymentRecord, token: Token | null) => string | number | null>;

export const CSV_COLUMNS = Object.keys(PAYMENT_MEMBERS);

export const paymentJson = (
  payment: PaymentRecord,
  token: Token | null,
): Record<string, string | number | null> =>
  Object.fromEntries(Object.entries(PAYMENT_MEMBERS).map(([name, of]) => [name, of(payment, token)]));

export function paymentCsv(payment: PaymentRecord, token: Token | null): string {
  return csvLine(Object.values(paymentJson(payment, token)));
}

export function refundLine(row: RefundRow, token: Token | null): string {
  const { state, created_at, amount, asset, network, sender, payer, job_id, transaction_hash, reason } = row;
  return [
    isoTime(created_at),
    state.padEnd(9),
    amountText(amount, asset, token),
    network,
    `from ${sender}`,
    `to ${payer}`,
    `for ${job_id}`,
    ...(transaction_hash === null ? [] : [`in ${transaction_hash}`]),
    ...(reason === null ? [] : [`(${reason})`]),
  ].join("  ");
}

export function refundJson(row: RefundRow, token: Token | null) {
  return {
    createdAt: isoTime(row.created_at),
    state: row.state,
    network: row.network,
    asset: row.asset,
    symbol: token?.symbol ?? null,
    amount: wholeOrNull(row.amount, token),
    amountRaw: row.amount,
    from: row.sender,
    to: row.payer,
    jobId: row.job_id,
    actor: row.actor,
    reason: row.reason,
    transaction: row.transaction_hash,
    blockNumber: row.block_number,
    confirmedAt: timeOrNull(row.confirmed_at),
    nonce: row.nonce,
  };
}

/** What makes a spreadsheet take a cell for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One record of CSV as RFC 4180 has it, safe to open in a spreadsheet, with its line end. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
