/** The guard's admin calls as a file for the Safe's Transaction Builder (`attestor/evm/safeFile.ts`). */

import { type SafeFile, safeFileOf, safeTransaction } from "../../attestor/evm/safeFile.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { type AdminCall, contractOf } from "../../chain/guard/adminCalls.ts";

/** @param safe who has to send the batch: the holder of the role */
export function safeFile(options: {
  chainId: number;
  guard: string;
  manager: string;
  safe: string;
  calls: readonly AdminCall[];
  name: string;
  now: UnixMs;
}): SafeFile {
  const { guard, manager, calls, ...rest } = options;
  return safeFileOf({
    ...rest,
    description: calls.map(({ line }) => line).join("; "),
    transactions: calls.map(({ name, args }) => {
      const { address, abi } = contractOf(name, { guard, manager });
      return safeTransaction(address, abi.getFunction(name)!, args);
    }),
  });
}
