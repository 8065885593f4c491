/** What the functions of this folder need of the outside. */
import type { LiquidityFacts } from "../../attestor/evidence/facts.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { TextHash } from "../../attestor/values/canonical.ts";
import type { UnixMs, UnixSeconds } from "../../attestor/values/time.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Database } from "../../database/open.ts";
import type { AttestationKeys } from "../attestation/keys.ts";
import type { DecisionLog } from "../log/log.ts";
import type { Payments } from "../payments/payments.ts";
import type { ProcessIdentity } from "../settings/processIdentity.ts";
import type { Random } from "./ids.ts";
import type { KeptFacts } from "./keptFacts.ts";
import type { RawAnswers } from "./rawAnswers.ts";

export interface JobDeps {
  readonly db: Database;
  readonly chain: Chain;
  /** The keys that certificates are signed with; which one, the guard says. */
  readonly attestation: Pick<AttestationKeys, "current" | "signerOf" | "assertSigning">;
  /** Every published version, oldest first. New jobs are judged by the newest; a job keeps its own to the end. */
  readonly policies: readonly Policy[];
  readonly log: Pick<DecisionLog, "proofOf" | "signed" | "assertSigning">;
  /** Keeps the raw answers behind the evidence. */
  readonly rawAnswers: Pick<RawAnswers, "ready" | "store" | "committed">;
  /** What unpaid requests had gathered, for the paid ones. */
  readonly keptFacts: KeptFacts;
  /** What sells the reports; null in the free phase. */
  readonly payments: Payments | null;
  /** Stored liquidity of a stock at a time in unix seconds; null where nothing is known. */
  readonly liquidityOf: (assetKey: string, now: number) => Promise<LiquidityFacts | null>;
  readonly clock: () => UnixMs;
  readonly random: Random;
  /** keccak256, as `attestor/values/canonical.ts` has it, and faster. */
  readonly hashText: TextHash;
  /** Whose calls are whose. */
  readonly process: ProcessIdentity;
}

export const seconds = (deps: Pick<JobDeps, "clock">): UnixSeconds => Math.floor(deps.clock() / 1000);
