/** The guard's admin calls as a file for the Safe's Transaction Builder (`chain/safeFile.ts`). */
import type { UnixMs } from "../../attestor/values/time.ts";
import type { AdminCall } from "../../chain/guard/adminCalls.ts";
import { GUARD_ABI } from "../../chain/guard/events.ts";
import { type SafeFile, safeFileOf, safeTransaction } from "../../chain/safeFile.ts";

/** @param safe who has to send the batch: the holder of the role */
export function safeFile(options: {
  chainId: number;
  guard: string;
  safe: string;
  calls: readonly AdminCall[];
  /** What was typed. */
  name: string;
  now: UnixMs;
}): SafeFile {
  const { guard, calls, ...rest } = options;
  return safeFileOf({
    ...rest,
    description: calls.map(({ line }) => line).join("; "),
    transactions: calls.map(({ name, args }) => safeTransaction(guard, GUARD_ABI.getFunction(name)!, args)),
  });
}
