/** What a wallet needs to carry out a prepared trade: typed data, the call of the guard, the approval. */
import { Interface, type Result } from "ethers";
import type { Execution } from "../../attestor/attest.ts";
import {
  CERTIFICATE_TYPES,
  guardDomain,
  tradeIntentTypedData,
  type VerificationCertificate,
} from "../../attestor/certificate/certificate.ts";
import { relayableCall } from "../../attestor/certificate/guardCall.ts";
import {
  type PackedFunction,
  packedCalls,
  packTrade,
  unpackCall,
} from "../../attestor/certificate/packedTrade.ts";
import type { TradeIntent } from "../../attestor/intent.ts";
import type { Report } from "../../attestor/report.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

const guard = TradeGuard__factory.createInterface();
const erc20 = new Interface(["function approve(address spender, uint256 amount) returns (bool)"]);

export interface SignedExecution extends Execution {
  readonly signature: string;
  /** Address that signed. */
  readonly signer: string;
  readonly routeCallData: string;
  /** What the owner lets the guard take of the input token at the evidence's block, raw units. */
  readonly currentAllowance: bigint;
  /** What the trade was judged by. */
  readonly report: Report;
}

/**
 * @param chainId the guard's chain
 * @param address the guard
 * @returns the `execution` member of prepare-execution's answer; `guardCall` can be sent as it is by the owner
 */
export function executionPackage(chainId: number, address: string, execution: SignedExecution) {
  const { tradeIntent, certificate, signature, signer, routeCallData, currentAllowance } = execution;
  const domain = guardDomain(chainId, address);
  const packed = packTrade({
    intent: tradeIntent,
    certificate,
    certificateSignature: signature,
    routeCallData,
  });
  const args = { intent: tradeIntent, certificate, certificateSignature: signature, routeCallData };
  const data = guard.encodeFunctionData("execute", [tradeIntent, certificate, signature, routeCallData]);
  return {
    tradeIntent: tradeIntentTypedData(domain, tradeIntent),
    certificate: {
      domain,
      types: CERTIFICATE_TYPES,
      primaryType: "VerificationCertificate" as const,
      message: certificate,
      signature,
      signer,
    },
    guardCall: {
      chainId,
      to: address,
      functionName: "execute" as const,
      args,
      data,
      value: "0" as const,
    },
    // The relayer puts the owner's signature of `tradeIntent` where `ownerSignature` says.
    relayedCall: {
      chainId,
      to: address,
      functionName: "executeFor" as const,
      args,
      ...relayableCall(tradeIntent, certificate, signature, routeCallData),
      value: "0" as const,
    },
    // The same trade for less gas, for software that signs and relays; null where it does not fit.
    ...(packed === null
      ? { packedCall: null, packedRelayedCall: null }
      : packedCalls(execution.report, tradeIntent, packed)),
    approval: {
      token: tradeIntent.inputToken,
      spender: address,
      amount: tradeIntent.amountIn,
      currentAllowance: currentAllowance.toString(),
      data: erc20.encodeFunctionData("approve", [address, tradeIntent.amountIn]),
    },
  };
}

/** A call of the guard, as it was found in a transaction. */
export interface GuardCall {
  readonly functionName: "execute" | "executeFor" | PackedFunction;
  readonly tradeIntent: Pick<TradeIntent, "owner">;
  readonly certificate: Pick<VerificationCertificate, "jobId" | "evidenceHash" | "reportVersion">;
}

/**
 * The guard call in a transaction's data; null where it is none.
 * @param sender of the transaction, who owns what is sent packed
 */
export function decodeGuardCall(data: string, sender: string): GuardCall | null {
  try {
    const packed = unpackCall(data, sender);
    if (packed !== null)
      return {
        functionName: packed.functionName,
        tradeIntent: { owner: packed.trade.intent.owner },
        certificate: packed.trade.certificate,
      };
    const call = guard.parseTransaction({ data });
    if (call === null || (call.name !== "execute" && call.name !== "executeFor")) return null;
    return guardCallOf(call.name, call.args);
  } catch {
    // Data that starts like a guard call and does not decode is none.
    return null;
  }
}

function guardCallOf(functionName: GuardCall["functionName"], [intent, certificate]: Result): GuardCall {
  return {
    functionName,
    tradeIntent: { owner: intent.owner },
    certificate: {
      jobId: certificate.jobId,
      evidenceHash: certificate.evidenceHash,
      reportVersion: certificate.reportVersion.toString(),
    },
  };
}
