/** What an explorer needs to show the source of both contracts. */
import { EXECUTOR_NAME, GUARD_NAME } from "./build.ts";
import type { DeploymentRecord } from "./record.ts";

export interface Verification {
  readonly address: string;
  readonly contract: string;
  readonly constructorArgs: readonly string[];
  /** Sourcify wants to know it. */
  readonly creationTxHash: string;
}

/** Both contracts: the guard, and the executor that its constructor created without arguments. */
export function verificationsOf(record: DeploymentRecord): Verification[] {
  const { initialAdmin, initialPauser, initialSigner } = record.constructorArguments;
  return [
    {
      address: record.guard,
      contract: GUARD_NAME,
      constructorArgs: [initialAdmin, initialPauser, initialSigner],
      creationTxHash: record.transaction,
    },
    {
      address: record.executor,
      contract: EXECUTOR_NAME,
      constructorArgs: [],
      creationTxHash: record.transaction,
    },
  ];
}
