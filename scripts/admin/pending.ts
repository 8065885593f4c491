/**
 * The pending transaction. It is recorded before it is sent and removed when its outcome is in the history. So
 * nothing in between (Ctrl-C, a lost connection, a power cut) loses it.
 */
import { dataSlice, getCreate2Address, keccak256, Transaction } from "ethers";
import { z } from "zod";
import { orElse } from "../../attestor/values/orElse.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import { ADMIN_VIEWS, encodeAdminCall } from "../../chain/guard/adminCalls.ts";
import { CREATE2_DEPLOYER } from "../../chain/mandateContracts.ts";
import { Unusable } from "../errors.ts";

/** Each pace of sending has its own, so that a pause waits for nothing else. */
export type PendingFile = "pending.json" | "urgent.pending.json";

export const CallArgument = z.union([z.string(), z.boolean()]);

const Hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);

/** One form in which the transaction was sent. A fee bump adds another with the same nonce. */
export const Attempt = z.strictObject({
  /** Null where a remote signer sends by itself and did not answer yet. */
  hash: Bytes32.nullable(),
  /** The signed transaction, to send it again; null where a remote signer keeps it. No secret. */
  raw: Hex.nullable(),
  /** Wei, decimal. */
  maxFeePerGas: z.string(),
  maxPriorityFeePerGas: z.string(),
  /** Unix milliseconds. */
  sentAt: z.int(),
});
export type Attempt = z.infer<typeof Attempt>;

/** A call as it is sent, written down and read back. */
const SentCall = z.strictObject({
  /** `admin`: of the guard or its manager; `create`: of the CREATE2 deployer; `plain`: of any other contract. */
  kind: z.enum(["admin", "create", "plain"]),
  to: Address,
  data: Hex,
  /** What it does, for people. */
  line: z.string(),
  /** For the history: the function, or `constructor`. */
  name: z.string(),
  args: z.array(CallArgument).readonly(),
  /** The guard that it is about. */
  guard: Address,
  /** Whose events are read, where that is known. */
  manager: Address.nullable(),
  /** The contract that is there after it. */
  creates: Address.nullable(),
  /** What the guard's views should say after it: see `Expectation`. */
  expects: z
    .array(
      z.strictObject({
        what: z.string(),
        view: z.enum(ADMIN_VIEWS),
        args: z.array(z.string()).readonly(),
        value: z.string(),
      }),
    )
    .readonly(),
});
export type SentCall = Readonly<z.infer<typeof SentCall>>;

/** What is written down of a call, and none of what only its sending needs: the file takes no other member. */
export const sentCallOf = (call: SentCall): SentCall => ({
  kind: call.kind,
  to: call.to,
  data: call.data,
  line: call.line,
  name: call.name,
  args: call.args,
  guard: call.guard,
  manager: call.manager,
  creates: call.creates,
  expects: call.expects,
});

export const Pending = z.strictObject({
  schema: z.literal("assay.pending/2"),
  chainId: z.int().min(1),
  /** `guard pause`: what the admin had typed. */
  command: z.string(),
  call: SentCall,
  from: Address,
  nonce: z.int().min(0),
  gasLimit: z.string(),
  reason: z.string().nullable(),
  actor: z.string(),
  /** Oldest first; one at least. */
  attempts: z.array(Attempt).min(1),
});
export type Pending = z.infer<typeof Pending>;

/**
 * What is signed again or handed on must be what is shown: the file may be a copy from another chain, or edited.
 * @throws Unusable
 */
export function assertCoherent(path: string, chainId: number, pending: Pending): void {
  const refuse = (why: string): never => {
    throw new Unusable(
      `${path} cannot be used: ${why}. It was edited or copied: look at it and move it aside.`,
    );
  };
  if (pending.chainId !== chainId) refuse(`it is about chain ${pending.chainId}, and this is ${chainId}`);
  const fault = faultOf(pending.call);
  if (fault !== null) refuse(fault);
  for (const { raw, hash } of pending.attempts)
    if (raw !== null && !isSigned(raw, hash, pending))
      refuse("a signed transaction in it is a different one");
}

/** Whether data and target are those of what the record names. A plain call is shown with both. */
function faultOf({ kind, to, data, name, args, guard, manager, creates }: SentCall): string | null {
  if (kind === "plain") return null;
  if (kind === "create")
    return to === CREATE2_DEPLOYER && createdBy(data) === creates
      ? null
      : "its transaction creates another contract than it names";
  const encoded = orElse(() => encodeAdminCall({ name, args }, { guard, manager: manager ?? guard }), null);
  if (encoded?.to !== to) return "its transaction goes to another address than the guard or its manager";
  return encoded.data === data ? null : "its data is not the call that it names";
}

/** The address of what the CREATE2 deployer makes of its call data: a salt of 32 bytes, and creation code. */
const createdBy = (data: string) =>
  getCreate2Address(CREATE2_DEPLOYER, dataSlice(data, 0, 32), keccak256(dataSlice(data, 32)));

function isSigned(raw: string, hash: string | null, { chainId, from, call, nonce }: Pending): boolean {
  const signed = orElse(() => Transaction.from(raw), null);
  return (
    signed?.hash === hash &&
    signed.chainId === BigInt(chainId) &&
    signed.from === from &&
    signed.to === call.to &&
    signed.data === call.data &&
    signed.nonce === nonce &&
    signed.value === 0n
  );
}
