/** Who may hold a role of a guard: somebody must control the account, and no account may have too much power. */
import { type JsonRpcProvider, verifyMessage } from "ethers";
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { upstream } from "../../chain/rpc.ts";
import { Refused } from "../errors.ts";
import type { Connection } from "./connect.ts";

export async function hasCode(provider: JsonRpcProvider, address: string): Promise<boolean> {
  return (await upstream("code", () => provider.getCode(address))) !== "0x";
}

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
 * @throws Refused for an account without code and without a proof; UpstreamUnavailable
 */
export async function assertControlled(
  { provider, chainId, live }: Connection,
  admin: string,
  own: readonly string[],
  proof: string | undefined,
): Promise<void> {
  if (live && isDevelopmentKey(admin))
    throw new Refused(`Everybody has the key of ${admin}: it is a development key.`);
  if (own.includes(admin) || (await isContract(provider, admin))) return;
  const text = adminText(chainId, admin);
  if (proof !== undefined && orElse(() => verifyMessage(text, proof), null) === admin) return;
  throw new Refused(
    `${proof === undefined ? "Nothing shows" : "--admin-proof does not show"} that anybody controls ${admin}: it has no code. Sign this message with its key, in any wallet, and give the signature as --admin-proof: ${text}`,
  );
}

export interface Roles {
  readonly admin: string;
  /** null: nobody. */
  readonly pauser: string | null;
  /** The attestation key. */
  readonly signer: string;
  /** Delay of every change that permits more, in seconds. */
  readonly delay: number;
}

/**
 * @param adminIsDeployer the admin said that these two may be one
 * @throws Refused
 */
export function assertRoles(
  roles: Roles,
  deployer: string,
  { live, adminIsDeployer }: { live: boolean; adminIsDeployer: boolean },
): void {
  const { admin, pauser, signer } = roles;
  if (live)
    for (const [what, address] of Object.entries({ admin, pauser, signer, deployer }))
      if (address !== null && isDevelopmentKey(address))
        throw new Refused(
          `The ${what} ${address} is a well-known development key: everybody has it. Create your own.`,
        );
  if (admin === deployer && !adminIsDeployer)
    throw new Refused(
      `The admin would be the deployer ${deployer}: a deployment key is seldom kept. Use --admin-is-deployer if you mean it.`,
    );
  if (signer === admin || signer === pauser)
    throw new Refused(
      `The attestation key ${signer} would also be the ${signer === admin ? "admin" : "pauser"}: the service holds it and must have no other power.`,
    );
}
