/** What the functions of this folder need of the service. */
import type { LiquidityFacts } from "../../attestor/evidence/facts.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { TextHash } from "../../attestor/values/canonical.ts";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Database } from "../../database/open.ts";
import type { AttestationKeys } from "../attestation/keys.ts";
import type { DecisionLog } from "../log/log.ts";
import type { Payments } from "../payments/payments.ts";
import type { Attachments } from "./attachments.ts";
import type { Random } from "./ids.ts";

export interface JobDeps {
  readonly db: Database;
  readonly chain: Chain;
  /** The keys that certificates are signed with; which one, the guard says. */
  readonly attestation: Pick<AttestationKeys, "current" | "signerOf" | "assertSigning">;
  /** Every published version, oldest first. New jobs are judged by the newest; a job keeps its own to the end. */
  readonly policies: readonly Policy[];
  readonly log: Pick<DecisionLog, "proofOf" | "signed" | "assertSigning">;
  readonly attachments: Attachments;
  /** What sells the reports; null in the free phase. */
  readonly payments: Payments | null;
  /** Stored liquidity of a stock at a time in unix seconds; null where nothing is known. */
  readonly liquidityOf: (assetKey: string, now: number) => Promise<LiquidityFacts | null>;
  readonly now: () => UnixMs;
  readonly random: Random;
  /** keccak256, as `attestor/values/canonical.ts` has it, and faster. */
  readonly hashText: TextHash;
}

export const seconds = (deps: Pick<JobDeps, "now">): UnixSeconds => Math.floor(deps.now() / 1000);
