/** Compares what is on the chain after a deployment with the plan. */
import { keccak256, ZeroAddress } from "ethers";
import { type GuardEvent, guardEvents } from "../../chain/guard/events.ts";
import { type Role, rolesOf } from "../../chain/guard/manager.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import { isCodeOf, PARTS, type Part } from "./build.ts";
import { type Deployed, type Deploying, placesOf } from "./ignite.ts";
import type { DeploymentRecord } from "./record.ts";

/** What the record takes from the chain, and what the history does. */
export type FromChain = Omit<
  DeploymentRecord,
  "schema" | "chainId" | "network" | "compiler" | "commit" | "actor" | "logKeys"
> & { readonly events: readonly GuardEvent[]; readonly gasUsed: bigint; readonly nonce: number };

/** @throws AdminError `not_as_sent` when code or roles are others than meant; `no_guard`; UpstreamUnavailable */
export async function readBack(
  { connection: { provider }, roles: meant, build }: Deploying,
  { deployment, transaction }: Deployed,
): Promise<FromChain> {
  const receipt = await upstream("receipt", () => provider.getTransactionReceipt(transaction));
  const sent = await upstream("transaction", () => provider.getTransaction(transaction));
  if (receipt === null || sent === null)
    throw new AdminError("not_as_sent", `The chain does not know the transaction ${transaction}.`);
  const block = await upstream("block", () => provider.getBlock(receipt.blockNumber));
  const { manager, guard } = placesOf(deployment);
  const read = await readRoles(provider, guard);
  const places: Record<Part, string> = { manager, guard, executor: read.executor };
  const codeHash = {} as Record<Part, string>;
  for (const name of Object.keys(PARTS) as Part[]) {
    const code = await upstream("code", () => provider.getCode(places[name]));
    if (!isCodeOf(build[name], code))
      throw new AdminError("not_as_sent", `The code of the ${name} on the chain is not the compiled code.`);
    codeHash[name] = keccak256(code);
  }
  const held = async (account: string) => {
    return rolesText(Object.fromEntries(await rolesOf(provider, manager, account, read.block)));
  };
  const { delay } = meant;
  for (const [what, value, expected] of [
    ["manager", read.manager, manager],
    ["attestation key", read.signer, meant.signer],
    ["roles of the admin", await held(meant.admin), rolesText({ admin: delay, operator: delay, pauser: 0 })],
    ...(meant.pauser === null || meant.pauser === meant.admin
      ? []
      : [["roles of the pauser", await held(meant.pauser), rolesText({ pauser: 0 })]]),
    ["roles of the deployment", await held(deployment), rolesText({})],
  ])
    if (value !== expected)
      throw new AdminError("not_as_sent", `The guard at ${guard} has the ${what} ${value}, not ${expected}.`);
  return {
    ...{ deployment, manager, guard, executor: read.executor, codeHash },
    constructorArguments: {
      initialAdmin: meant.admin,
      initialPauser: meant.pauser ?? ZeroAddress,
      initialSigner: meant.signer,
      delaySeconds: delay,
    },
    roles: { admin: meant.admin, pauser: meant.pauser, signer: read.signer },
    deployedAtBlock: receipt.blockNumber,
    transaction,
    deployer: receipt.from,
    deployedAt: new Date((block?.timestamp ?? 0) * 1000).toISOString(),
    events: guardEvents(read, receipt.logs),
    gasUsed: receipt.gasUsed,
    nonce: sent.nonce,
  };
}

const rolesText = (roles: Partial<Record<Role, number>>): string =>
  Object.entries(roles)
    .map(([role, delay]) => `${role} after ${delay} s`)
    .join(", ");
