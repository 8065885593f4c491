/**
 * EIP-5792: the parameters of `wallet_sendCalls` that carry a trade out by one confirmation. The approval goes along where
 * the allowance does not suffice, and the wallet is asked to do all of it or nothing.
 */
import { keccak256 } from "../evm/hash.ts";
import type { TradeIntent } from "../intent.ts";
import { asRecord, differingMembers, extraMembers, type JsonObject, sameJson } from "../steps.ts";
import type { VerificationCertificate } from "./certificate.ts";
import { approveCallData, executeCallData } from "./guardCall.ts";

export interface WalletCall {
  readonly to: string;
  readonly data: string;
  /** Nothing is payable. */
  readonly value: "0x0";
}

/** The one parameter of `wallet_sendCalls`, as EIP-5792 has it in its version 2.0.0. */
export interface WalletCalls {
  readonly version: "2.0.0";
  /** The owner: nobody else's `execute` is taken. */
  readonly from: string;
  /** Hexadecimal, without leading zeros. */
  readonly chainId: string;
  /** The trade without the approval fails, and the approval without the trade would stay. */
  readonly atomicRequired: true;
  readonly calls: WalletCall[];
}

/** The guard call that the batch ends with. */
interface OwnCall {
  readonly chainId: number;
  readonly guard: string;
  readonly intent: TradeIntent;
  /** Call data of `execute`. */
  readonly data: string;
}

/** @param isApproved whether the guard may take the amount already: the approval is then left out */
export function walletCallsOf({ chainId, guard, intent, data }: OwnCall, isApproved: boolean): WalletCalls {
  const approve = {
    to: intent.inputToken,
    data: approveCallData(guard, intent.amountIn),
    value: "0x0",
  } as const;
  const execute = { to: guard, data, value: "0x0" } as const;
  return {
    version: "2.0.0",
    from: intent.owner,
    chainId: `0x${chainId.toString(16)}`,
    atomicRequired: true,
    calls: isApproved ? [execute] : [approve, execute],
  };
}

/** What the batch has to say the same as. */
export interface CertifiedTrade {
  readonly chainId: number;
  readonly guard: string;
  readonly intent: TradeIntent;
  readonly certificate: VerificationCertificate;
  readonly signature: string;
  /** What the document says that the guard may take already, raw units; null: it does not say. */
  readonly currentAllowance: bigint | null;
}

/**
 * Holds a batch against the trade that was certified. Where the document does not say how much the guard may take
 * already, the batch may have the approval or not: without it the trade fails and nothing moves.
 * @returns names of the members that differ or that nobody expects
 */
export function walletCallsFaults(claimed: unknown, trade: CertifiedTrade): string[] {
  const data = executeDataIn(claimed, trade);
  if (data === null) return ["calls"];
  const { intent, currentAllowance } = trade;
  const forms = currentAllowance === null ? [true, false] : [currentAllowance >= BigInt(intent.amountIn)];
  const expected = forms.map((isApproved) => walletCallsOf({ ...trade, data }, isApproved));
  if (expected.some((form) => sameJson(claimed, form))) return [];
  const nearest: JsonObject = {
    ...(expected.find(({ calls }) => sameJson(callsIn(claimed), calls)) ?? expected[0]),
  };
  return [...differingMembers(claimed, nearest), ...extraMembers(claimed, Object.keys(nearest))];
}

function callsIn(claimed: unknown): unknown[] {
  const calls = asRecord(claimed)?.calls;
  return Array.isArray(calls) ? calls : [];
}

/** `execute` as it has to read with the route call data of the last call; null where those are not what was certified. */
function executeDataIn(claimed: unknown, trade: Certified): string | null {
  const { intent, certificate, signature } = trade;
  const routeCallData = routeCallDataInBatch(claimed, trade);
  if (routeCallData === null || keccak256(routeCallData) !== intent.callDataHash) return null;
  if (!routeCallData.startsWith(intent.selector)) return null;
  return executeCallData(intent, certificate, signature, routeCallData);
}

type Certified = Pick<CertifiedTrade, "intent" | "certificate" | "signature">;

/** The route call data in the batch's last call, from the place where the trade's `execute` has them; null where it ends before. */
export function routeCallDataInBatch(
  claimed: unknown,
  { intent, certificate, signature }: Certified,
): string | null {
  const data = asRecord(callsIn(claimed).at(-1))?.data;
  if (typeof data !== "string" || !/^0x([0-9a-f]{2})*$/.test(data)) return null;
  try {
    // What stands before the route call data does not depend on them, but for their length, which comes last of it.
    const before = executeCallData(intent, certificate, signature, "0x").length;
    const length = Number(BigInt(`0x${data.slice(before - 64, before)}`));
    return `0x${data.slice(before, before + 2 * length)}`;
  } catch {
    // It is too short, or the signature is no hexadecimal text.
    return null;
  }
}
