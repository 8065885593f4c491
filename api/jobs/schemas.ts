/** What the verification API answers, for validation and for the OpenAPI file alike. */
import { z } from "zod";
import { VerificationCertificate } from "../../attestor/certificate/certificate.ts";
import { Intent, TradeIntent } from "../../attestor/intent.ts";
import { Decision, Report } from "../../attestor/report.ts";
import { Address, Bytes32, RawAmount } from "../../attestor/values/primitives.ts";
import { Requirements } from "../payments/requirements.ts";

const DateTime = z.string().meta({ format: "date-time" });
const HexData = z.string().regex(/^0x([0-9a-f]{2})*$/);
export const Confirmed = z
  .object({
    blockNumber: z.int().describe("Number of the block that has the transaction"),
    blockHash: Bytes32,
    confirmations: z.int().min(1).describe("How many blocks deep it is, counting its own"),
    gasUsed: RawAmount.describe("Gas that the transaction used"),
    amountInRaw: RawAmount.describe("What the owner spent, raw units of the input token"),
    amountOutRaw: RawAmount.describe("What the recipient received, raw units of the output token"),
    evidenceHash: Bytes32,
    at: DateTime,
  })
  .meta({ id: "Confirmed" });
export type Confirmed = z.infer<typeof Confirmed>;

export const ExecutionState = z.enum(["submitted", "confirmed", "reverted", "mismatched", "dropped"]);
export type ExecutionState = z.infer<typeof ExecutionState>;

export const Execution = z
  .object({
    executionId: z.string(),
    transactionHash: Bytes32,
    reportVersion: z
      .int()
      .nullable()
      .describe("Version of the report whose certificate the transaction carries; null until it is known"),
    state: ExecutionState,
    confirmed: Confirmed.nullable(),
    submittedAt: DateTime,
    reason: z.string().optional(),
  })
  .meta({ id: "Execution" });
export type Execution = z.infer<typeof Execution>;

export const Hint = z
  .object({
    check: z.string().describe("Of a finding that does not pass"),
    text: z
      .string()
      .describe(
        "What would let this check pass. An amount, a time or a policy is named only where the same facts were judged by it and passed",
      ),
  })
  .meta({ id: "Hint" });
export type Hint = z.infer<typeof Hint>;

const Hints = z
  .array(Hint)
  .describe(
    "One for each finding that does not pass, made for this answer: they are no part of the report, and nothing is verified by them",
  );

export const Job = z
  .object({
    jobId: z.string(),
    clientRequestId: z.string().optional().describe("Absent where the job was made without an API key"),
    createdAt: DateTime,
    expiresAt: DateTime,
    intent: Intent,
    payment: z.object({
      phase: z.enum(["free", "paid"]),
      state: z.enum(["not_required", "required", "settling", "settled"]),
      requirements: z
        .array(Requirements)
        .optional()
        .describe("Ways to pay (x402), while payment is required or being settled"),
      transaction: Bytes32.optional().describe("The transaction that paid for the job"),
    }),
    entitlement: z.object({ granted: z.boolean(), reason: z.enum(["free", "paid"]).nullable() }),
    reports: z.array(
      z.object({
        version: z.int().min(1).describe("Version of the report within its job, from 1"),
        kind: z.enum(["initial", "prepare"]),
        decision: Decision.nullable(),
        evidenceHash: Bytes32,
        createdAt: DateTime,
      }),
    ),
    report: Report.optional(),
    hints: Hints.optional().describe(
      "Beside `report`; a denial's come when the job is read, and not in the answer that creates it",
    ),
    executions: z.array(Execution),
  })
  .meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

const Domain = z.object({
  name: z.literal("TradeGuard"),
  version: z.literal("1"),
  chainId: z.int().describe("EIP-155 chain id"),
  verifyingContract: Address,
});
const TypeMembers = z.array(z.object({ name: z.string(), type: z.string() }));
const CallArgs = z.object({
  intent: TradeIntent,
  certificate: VerificationCertificate,
  certificateSignature: HexData,
  ownerSignature: z.literal("0x").describe("Empty: the caller is the owner"),
  routeCallData: HexData,
});
const call = {
  chainId: z.int().describe("EIP-155 chain id"),
  to: Address,
  functionName: z.literal("execute"),
  args: CallArgs,
  value: z.literal("0"),
};

const OwnerSignature = z
  .object({
    offset: z.int().min(4).describe("Of the signature's first byte in `data`, in bytes"),
    length: z
      .int()
      .describe(
        "Bytes that the signature takes, 65 as wallets give them: r, s and v of 27 or 28; zero in `data` until it is there",
      ),
  })
  .meta({ id: "OwnerSignature", description: "Where the owner's signature of `tradeIntent` goes" });

/** The `execution` member of prepare-execution: all that a wallet needs, and nothing that it must trust blindly. */
const PreparedExecution = z
  .object({
    tradeIntent: z
      .object({
        domain: Domain,
        types: z.object({ EIP712Domain: TypeMembers, TradeIntent: TypeMembers }),
        primaryType: z.literal("TradeIntent"),
        message: TradeIntent,
      })
      .describe(
        "As it stands the second parameter of `eth_signTypedData_v4`; ethers takes `types` without `EIP712Domain`",
      ),
    certificate: z.object({
      domain: Domain,
      types: z.object({ EIP712Domain: TypeMembers, VerificationCertificate: TypeMembers }),
      primaryType: z.literal("VerificationCertificate"),
      message: VerificationCertificate,
      signature: HexData,
      signer: Address,
    }),
    guardCall: z.object({ ...call, data: HexData }).describe("For the owner to send as it is"),
    relayedCall: z
      .object({ ...call, data: HexData, ownerSignature: OwnerSignature })
      .describe(
        "For anybody to send: put the owner's signature of `tradeIntent` into `data` where `ownerSignature` says",
      ),
    approval: z.object({
      token: Address,
      spender: Address,
      amount: RawAmount.describe("What the guard must be allowed to take, raw units of the input token"),
      currentAllowance: RawAmount.describe(
        "What the guard may take at the evidence's block, raw units of the input token",
      ),
      calls: z
        .array(z.object({ to: Address, data: HexData, value: z.literal("0") }))
        .describe(
          "What the owner sends before the trade, in order: nothing where the allowance suffices; where a smaller one is left, the first call takes it back, because some tokens refuse to change it otherwise",
        ),
    }),
  })
  .meta({ id: "PreparedExecution" });

/** A stored report. It keeps the certificate that was signed for it, so that who saved the report alone can verify it. */
export const StoredReport = Report.extend({
  execution: PreparedExecution.optional().describe(
    "What was prepared and signed with this version; absent where nothing was",
  ),
  hints: Hints.optional().describe("Absent from published evidence, which passed every check"),
}).meta({ id: "StoredReport" });
export type StoredReport = z.infer<typeof StoredReport>;

export const Prepared = z
  .object({
    jobId: z.string(),
    reportVersion: z.int().min(1).describe("Version of the report that it belongs to"),
    report: Report,
    hints: Hints,
    execution: PreparedExecution.nullable().describe("null when the decision is DENY"),
    signUrl: z
      .string()
      .nullable()
      .describe(
        "A page where the owner's wallet signs this trade: for people who hold a wallet in a browser. Its fragment names chain, guard, job and version, with a token that opens this version alone and ends with the trade; null when the decision is DENY",
      ),
  })
  .meta({ id: "Prepared" });
export type Prepared = z.infer<typeof Prepared>;

export const VerifyReport = Report.extend({
  hints: Hints,
  jobToken: z.string().describe("Bearer token that gives access to the calls of this one job under /v1/jobs"),
}).meta({ id: "VerifyReport" });
