/** Whether the chain has a guard already, by its record. */
import { ZeroAddress } from "ethers";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import type { Records } from "../records/records.ts";
import type { Connection } from "../session/connect.ts";
import type { Roles } from "./checks.ts";
import { type DeploymentRecord, readRecord } from "./record.ts";

/** What was recorded, unless it is of a local chain that is no more. @throws AdminError `refused` */
export async function knownDeployment(
  connection: Connection,
  records: Records,
): Promise<DeploymentRecord | null> {
  const record = await readRecord({ records });
  if (record === null) return null;
  if ((await upstream("code", () => connection.provider.getCode(record.guard))) !== "0x") return record;
  if (!connection.live) return null;
  throw new AdminError(
    "refused",
    `${records.path("json")} names a guard at ${record.guard}, where the chain has none: move the file aside to deploy again.`,
  );
}

/** @throws AdminError `refused` when the known guard was made with other roles than are wanted now */
export function assertSame(
  records: Records,
  { guard, constructorArguments: made }: DeploymentRecord,
  { admin, pauser, signer }: Roles,
): void {
  const same =
    made.initialAdmin === admin &&
    made.initialPauser === (pauser ?? ZeroAddress) &&
    made.initialSigner === signer;
  if (!same)
    throw new AdminError(
      "refused",
      `${records.path("json")} has a guard with other roles at ${guard}: change the roles, or move the file aside to deploy another guard.`,
    );
}
