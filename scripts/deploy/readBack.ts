/** What really stands on the chain after a deployment, held against what was meant. */
import { keccak256, ZeroAddress } from "ethers";
import { editionOfCode } from "../../chain/guard/edition.ts";
import { type GuardEvent, guardEvents } from "../../chain/guard/events.ts";
import { readRoles } from "../../chain/guard/roles.ts";
import { upstream } from "../../chain/rpc.ts";
import { AdminError } from "../adminErrors.ts";
import { isCodeOf } from "./build.ts";
import type { Deployed, Deploying } from "./ignite.ts";
import type { DeploymentRecord } from "./record.ts";

/** What the record takes from the chain, and what the history does. */
export type FromChain = Omit<
  DeploymentRecord,
  "schema" | "chainId" | "network" | "compiler" | "commit" | "actor" | "logKeys" | "adminTransactions"
> & { readonly events: readonly GuardEvent[]; readonly gasUsed: bigint; readonly nonce: number };

/** @throws AdminError `not_as_sent` when code or roles are others than meant; `no_guard`; UpstreamUnavailable */
export async function readBack(
  { connection: { provider }, roles: meant, build }: Deploying,
  { guard, transaction }: Deployed,
): Promise<FromChain> {
  const receipt = await upstream("receipt", () => provider.getTransactionReceipt(transaction));
  const sent = await upstream("transaction", () => provider.getTransaction(transaction));
  if (receipt === null || sent === null)
    throw new AdminError("not_as_sent", `The chain does not know the transaction ${transaction}.`);
  const block = await upstream("block", () => provider.getBlock(receipt.blockNumber));
  const read = await readRoles(provider, guard);
  const code = {
    guard: await upstream("code", () => provider.getCode(guard)),
    executor: await upstream("code", () => provider.getCode(read.executor)),
  };
  for (const name of ["guard", "executor"] as const)
    if (!isCodeOf(build[name], code[name]))
      throw new AdminError("not_as_sent", `The code of the ${name} on the chain is not the compiled code.`);
  for (const [what, value, expected] of [
    ["admin", read.admin, meant.admin],
    ["pauser", read.pauser, meant.pauser],
    ["attestation key", read.signer, meant.signer],
  ])
    if (value !== expected)
      throw new AdminError("not_as_sent", `The guard at ${guard} has the ${what} ${value}, not ${expected}.`);
  return {
    guard,
    executor: read.executor,
    edition: editionOfCode(code.guard),
    codeHash: { guard: keccak256(code.guard), executor: keccak256(code.executor) },
    constructorArguments: {
      initialAdmin: meant.admin,
      initialPauser: meant.pauser ?? ZeroAddress,
      initialSigner: meant.signer,
    },
    roles: { admin: read.admin, pauser: read.pauser, signer: read.signer },
    deployedAtBlock: receipt.blockNumber,
    transaction,
    deployer: receipt.from,
    deployedAt: new Date((block?.timestamp ?? 0) * 1000).toISOString(),
    events: guardEvents(guard, receipt.logs),
    gasUsed: receipt.gasUsed,
    nonce: sent.nonce,
  };
}
