/** `<chainId>.json`: what was deployed, by whom, from which source, and how to make the same again. */
import { keccak256, ZeroAddress } from "ethers";
import { z } from "zod";
import { Vkey } from "../../attestor/log/vkey.ts";
import { Address, Bytes32 } from "../../attestor/values/primitives.ts";
import { MandateContracts } from "../../chain/mandates/calls.ts";
import { upstream } from "../../chain/rpc.ts";
import type { Drift } from "../desired/drift.ts";
import { CommandError } from "../errors.ts";
import type { Connection } from "../networks/connect.ts";
import { readJson } from "../records/files.ts";
import type { Records } from "../records/records.ts";
import type { Session } from "../session/session.ts";
import { PARTS, type Part } from "./build.ts";
import type { Roles } from "./checks.ts";

export const DeploymentRecord = z.strictObject({
  schema: z.literal("assay.deployed/1"),
  chainId: z.int().min(1),
  network: z.string(),
  /** The contract whose constructor created manager and guard. */
  deployment: Address,
  manager: Address,
  guard: Address,
  executor: Address,
  /** keccak256 of the code on the chain. */
  codeHash: z.strictObject({ manager: Bytes32, guard: Bytes32, executor: Bytes32 }),
  constructorArguments: z.strictObject({
    initialAdmin: Address,
    initialPauser: Address,
    initialSigner: Address,
    delaySeconds: z.int().min(0),
  }),
  /** As read back from guard and manager. */
  roles: z.strictObject({ admin: Address, pauser: Address.nullable(), signer: Address }),
  deployedAtBlock: z.int().min(0),
  transaction: Bytes32,
  deployer: Address,
  /** ISO 8601, UTC: the time of the block. */
  deployedAt: z.string(),
  compiler: z.strictObject({ version: z.string(), settings: z.record(z.string(), z.unknown()) }),
  /** Of the working copy; ends in -dirty where files differed from it. */
  commit: z.string().nullable(),
  actor: z.string(),
  /** Verifier keys of the service's decision log, which `guard service-file --log-key` adds. */
  logKeys: z.array(Vkey).optional(),
  /** What `guard mandate deploy` deployed, or found. */
  mandates: MandateContracts.optional(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** @returns null when nothing was recorded. @throws CommandError `unreadable_file` */
export async function readRecord(session: Pick<Session, "records">): Promise<DeploymentRecord | null> {
  return await readJson(session.records.path("json"), DeploymentRecord);
}

/** Whether the code on the chain is what was recorded. Nothing where nothing was. */
export async function codeDrift(session: Pick<Session, "records" | "connection">): Promise<Drift[]> {
  const record = await readRecord(session);
  if (record === null) return [];
  const drift: Drift[] = [];
  for (const name of Object.keys(PARTS) as Part[]) {
    const hash = keccak256(await upstream("code", () => session.connection.provider.getCode(record[name])));
    if (hash !== record.codeHash[name])
      drift.push({ what: `code of the ${name}`, isNow: hash, shouldBe: record.codeHash[name] });
  }
  return drift;
}

/** What was recorded, unless it is of a local chain that is no more. @throws CommandError `refused` */
export async function knownDeployment(
  connection: Connection,
  records: Records,
): Promise<DeploymentRecord | null> {
  const record = await readRecord({ records });
  if (record === null) return null;
  if ((await upstream("code", () => connection.provider.getCode(record.guard))) !== "0x") return record;
  if (!connection.live) return null;
  throw new CommandError(
    "refused",
    `${records.path("json")} names a guard at ${record.guard}, where the chain has none: move the file aside to deploy again.`,
  );
}

/** @throws CommandError `refused` when the known guard was made with other roles than are wanted now */
export function assertSame(
  records: Records,
  { guard, constructorArguments: made }: DeploymentRecord,
  { admin, pauser, signer, delay }: Roles,
): void {
  const same =
    made.initialAdmin === admin &&
    made.initialPauser === (pauser ?? ZeroAddress) &&
    made.initialSigner === signer &&
    made.delaySeconds === delay;
  if (!same)
    throw new CommandError(
      "refused",
      `${records.path("json")} has a guard with other roles or another delay at ${guard}: change the roles, or move the file aside to deploy another guard.`,
    );
}
