/** What is looked at before a guard is deployed. */
import { isDevelopmentKey } from "../../api/settings/developmentKeys.ts";
import { CommandError } from "../errors.ts";

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
 * @throws CommandError `refused`
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
        throw new CommandError(
          "refused",
          `The ${what} ${address} is a well-known development key: everybody has it. Create your own.`,
        );
  if (admin === deployer && !adminIsDeployer)
    throw new CommandError(
      "refused",
      `The admin would be the deployer ${deployer}: a deployment key is seldom kept. Use --admin-is-deployer if you mean it.`,
    );
  if (signer === admin || signer === pauser)
    throw new CommandError(
      "refused",
      `The attestation key ${signer} would also be the ${signer === admin ? "admin" : "pauser"}: the service holds it and must have no other power.`,
    );
}
