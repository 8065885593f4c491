/** `<chainId>.history.jsonl`: one line for every transaction that an admin sent, in the order of their outcomes. */
import { z } from "zod";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";

export const CallArgument = z.union([z.string(), z.boolean()]);

export const HistoryEntry = z.strictObject({
  /** ISO 8601, UTC: when the outcome was known. */
  at: z.string(),
  chainId: z.int(),
  network: z.string(),
  /** What was typed: `guard apply`. */
  command: z.string(),
  actor: z.string(),
  /** The commit of the working copy that sent it. */
  commit: z.string().nullable(),
  reason: z.string().nullable(),
  guard: Address,
  from: Address,
  /** `constructor` for a deployment. */
  call: z.strictObject({ name: z.string(), args: z.array(CallArgument) }),
  line: z.string(),
  nonce: z.int().nullable(),
  transaction: Bytes32.nullable(),
  /** `replaced`: another transaction of the account took its nonce. */
  outcome: z.enum(["confirmed", "reverted", "replaced"]),
  block: z.int().nullable(),
  gasUsed: z.string().nullable(),
  events: z.array(z.strictObject({ name: z.string(), args: z.record(z.string(), CallArgument) })),
  /** What the guard's views said after it. */
  readBack: z.array(z.strictObject({ what: z.string(), value: z.string(), asSent: z.boolean() })),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;
