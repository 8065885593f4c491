/** How a guard is named on a command line: `56:0x…`. */
import type { GuardName } from "../attestor/issuer.ts";
import { AssetKey, addressOf } from "../attestor/primitives.ts";
import { UsageError } from "./console.ts";

/** @throws UsageError for what is no chain id and address */
export function guardOf(text: string): GuardName {
  const key = AssetKey.safeParse(`eip155:${text}`);
  const chainId = Number(text.split(":")[0]);
  if (!key.success || !Number.isSafeInteger(chainId))
    throw new UsageError("--guard must be <chainId>:<address>, such as 56:0x and 40 hexadecimal digits");
  return { chainId, address: addressOf(key.data) };
}
