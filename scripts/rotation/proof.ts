/** Whether a new attestation key may be: somebody holds it, and it holds nothing else. */
import { getAddress, ZeroAddress } from "ethers";
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import { isProofSound, KeyProof } from "../../attestor/certificate/keyProof.ts";
import { named } from "../../chain/guard/adminCalls.ts";
import { rolesOf } from "../../chain/guard/manager.ts";
import type { GuardRoles } from "../../chain/guard/roles.ts";
import { CommandError } from "../errors.ts";
import { parseJson, readText } from "../records/files.ts";
import type { Session } from "../session/session.ts";

/** @throws CommandError `usage`, `unreadable_file` */
export async function readProof(path: string | undefined): Promise<KeyProof> {
  if (path === undefined)
    throw new CommandError(
      "usage",
      "Prove that you hold the new key: --proof <file>, made by assay keystore prove.",
    );
  const text = await readText(path);
  if (text === null) throw new CommandError("unreadable_file", `${path} cannot be read: it does not exist.`);
  // npm puts its own lines before what a script prints.
  return parseJson(path, text.slice(Math.max(0, text.indexOf("{"))), KeyProof);
}

/**
 * A key that judges trades has no other power over the guard, and is known to its holder alone.
 * @throws CommandError `refused`; UpstreamUnavailable
 */
export async function assertNewSigner(
  { connection, place }: Pick<Session, "connection" | "place">,
  roles: GuardRoles,
  proof: KeyProof,
): Promise<void> {
  const { signer } = proof;
  const refuse = (why: string): never => {
    throw new CommandError("refused", `${signer} cannot become the attestation key: ${why}.`);
  };
  if (signer === ZeroAddress) refuse("it is the zero address");
  if (proof.chainId !== connection.chainId)
    refuse(`its proof is for chain ${proof.chainId}, and this is ${connection.chainId}`);
  if (proof.guard !== getAddress(place.guard))
    refuse(`its proof is for the guard ${proof.guard}, and this one is ${place.guard}`);
  if (!isProofSound(proof, connection.chainId, place.guard))
    refuse("the signature of its proof is by another key");
  if ([roles.guard, roles.manager, roles.executor].includes(signer))
    refuse("it is one of the guard's own contracts");
  const [held] = (await rolesOf(connection.provider, roles.manager, signer, roles.block)).keys();
  if (held !== undefined) refuse(`it is ${named(held)}, and the judge of trades must have no other power`);
  if (connection.live && isDevelopmentKey(signer)) refuse("everybody has this development key");
}
