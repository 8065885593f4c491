/** Adds to an offline verification what a node of the reader's says. */
import type { Step } from "../../attestor/steps.ts";
import { knownGuard } from "../../attestor/verify/issuer.ts";
import { type Verification, type VerifyOptions, withChain } from "../../attestor/verify/verify.ts";
import { registryFor } from "../../attestor/verify/verifyJudgement.ts";
import type { Rpc } from "../../chain/jsonRpc.ts";
import { observeAgain } from "../../chain/observeAgain.ts";
import { askChain, type ChainQuestion } from "../../chain/reportOnChain.ts";

export interface OnChain {
  readonly rpc: Rpc;
  /** Trades that the reader found by themselves, in the place of a search for events. */
  readonly executed?: ChainQuestion["executed"];
  /** Steps that were taken before, to stand first. */
  readonly before?: readonly Step[];
}

/** Never throws: what the node does not say, or refuses, is a step. */
export async function verifyOnChain(
  offline: Verification,
  options: VerifyOptions,
  { rpc, executed, before = [] }: OnChain,
): Promise<Verification> {
  const { report, intentHash, executableUntil } = offline;
  if (report === null) return offline;
  const { chain, guard } = report.evidence;
  const known = knownGuard(options, { chainId: chain.chainId, guard: guard.address });
  const { steps, standing } = await askChain(
    {
      report,
      intentHash,
      executableUntil,
      known,
      ...(executed === undefined ? {} : { executed }),
    },
    rpc,
  );
  // On another chain, or where the block is not there, there is nothing to read again.
  const again = steps.some(({ name, outcome }) => name === "block" && outcome === "ok")
    ? await observeAgain(report.evidence, offline.facts, {
        rpc,
        deployedAtBlock: known?.deployedAtBlock,
        registry: registryFor(report.evidence, options),
      })
    : [];
  return withChain(offline, options, [...before, ...steps, ...again], standing);
}
