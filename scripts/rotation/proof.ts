/** Whether a new attestation key may be: somebody holds it, and it holds nothing else. */
import { getAddress, ZeroAddress } from "ethers";
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import { isProofSound, KeyProof } from "../../attestor/certificate/keyProof.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { AdminError } from "../adminErrors.ts";
import { parseJson, readText } from "../records/files.ts";
import type { Session } from "../session/session.ts";

/** @throws AdminError `usage`, `unreadable_file` */
export async function readProof(path: string | undefined): Promise<KeyProof> {
  if (path === undefined)
    throw new AdminError(
      "usage",
      "Prove that you hold the new key: --proof <file>, made by npm run assay -- keystore prove.",
    );
  const text = await readText(path);
  if (text === null) throw new AdminError("unreadable_file", `${path} cannot be read: it does not exist.`);
  // npm puts its own lines before what a script prints.
  return parseJson(path, text.slice(Math.max(0, text.indexOf("{"))), KeyProof);
}

/**
 * A key that judges trades has no other power over the guard, and is known to its holder alone.
 * @throws AdminError `refused`
 */
export function assertNewSigner(
  { connection, place }: Pick<Session, "connection" | "place">,
  roles: GuardRoles,
  proof: KeyProof,
): void {
  const { signer } = proof;
  const refuse = (why: string): never => {
    throw new AdminError("refused", `${signer} cannot become the attestation key: ${why}.`);
  };
  if (signer === ZeroAddress) refuse("it is the zero address");
  if (proof.chainId !== connection.chainId)
    refuse(`its proof is for chain ${proof.chainId}, and this is ${connection.chainId}`);
  if (proof.guard !== getAddress(place.guard))
    refuse(`its proof is for the guard ${proof.guard}, and this one is ${place.guard}`);
  if (!isProofSound(proof, connection.chainId, place.guard))
    refuse("the signature of its proof is by another key");
  const taken: readonly [string | null, string][] = [
    [roles.admin, "the admin, who chooses the routes"],
    [roles.pendingAdmin, "the next admin"],
    [roles.pauser, "the pauser"],
    [roles.guard, "the guard itself"],
    [roles.executor, "the guard's executor"],
  ];
  for (const [holder, who] of taken) if (holder === signer) refuse(`it is ${who}`);
  if (connection.live && isDevelopmentKey(signer)) refuse("everybody has this development key");
}
