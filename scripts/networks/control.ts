/** Whether somebody controls an account that is to administer a guard: else the guard would have no admin. */
import { type JsonRpcProvider, verifyMessage } from "ethers";
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { upstream } from "../../chain/rpc.ts";
import { CommandError } from "../errors.ts";
import type { Connection } from "./connect.ts";

/** An account that delegates to code (EIP-7702) still has a key of its own, and is no contract. */
export async function isContract(provider: JsonRpcProvider, account: string): Promise<boolean> {
  const code = await upstream("code", () => provider.getCode(account));
  return code !== "0x" && !code.startsWith("0xef0100");
}

/** What the admin's key signs as a message, in any wallet. */
export function adminText(chainId: number, admin: string): string {
  return `I control ${admin} and will administer an Assay guard on chain ${chainId}.`;
}

/**
 * @param own accounts whose keys are available
 * @param proof the key's signature of `adminText`
 * @throws CommandError `refused` for an account without code and without a proof; UpstreamUnavailable
 */
export async function assertControlled(
  { provider, chainId, live }: Connection,
  admin: string,
  own: readonly string[],
  proof: string | undefined,
): Promise<void> {
  if (live && isDevelopmentKey(admin))
    throw new CommandError("refused", `Everybody has the key of ${admin}: it is a development key.`);
  if (own.includes(admin) || (await isContract(provider, admin))) return;
  const text = adminText(chainId, admin);
  if (proof !== undefined && orElse(() => verifyMessage(text, proof), null) === admin) return;
  throw new CommandError(
    "refused",
    `${proof === undefined ? "Nothing shows" : "--admin-proof does not show"} that anybody controls ${admin}: it has no code. Sign this message with its key, in any wallet, and give the signature as --admin-proof: ${text}`,
  );
}
