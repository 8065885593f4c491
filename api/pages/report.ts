/** /reports/<evidenceHash>: a published report. The service writes it down as it is stored; the page judges it. */
import { z } from "zod";
import { chainOf, explorerOf } from "../../attestor/chains.ts";
import { factsOf } from "../../attestor/factKinds.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { judgedView } from "../../attestor/view/reportView.ts";
import type { Deployment } from "../../chain/deployment.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { Executed, ServiceStatement, StoredTrade } from "../../web/props.ts";
import type { AttestationState } from "../attestation/keys.ts";
import { findByAddress } from "../data/listing.ts";
import type { StoredReport } from "../jobs/schemas.ts";
import type { DecisionLog } from "../log/log.ts";
import type { LogAnswers } from "../log/serve.ts";
import { findExecutedTrade, findPublicEvidence } from "../published/publicTrades.ts";
import type { Config } from "../settings/config.ts";
import type { PageSpec } from "./page.ts";
import { tokenOf } from "./token.ts";

export interface ReportPageDeps {
  readonly db: Database;
  readonly log: Pick<DecisionLog, "proofOf">;
  readonly assets: readonly MarketAsset[];
  readonly publicEvidence: Config["publicEvidence"];
  readonly deployment: Pick<Deployment, "guard" | "registry">;
  readonly attestation: () => AttestationState;
  readonly logAnswers: Pick<LogAnswers, "vkey">;
}

export function reportPage(deps: ReportPageDeps): PageSpec<{ hash: string }, unknown> {
  const { db, log, publicEvidence } = deps;
  return {
    path: "/reports/:hash",
    name: "report",
    params: z.object({ hash: Bytes32 }),
    async content({ params: { hash } }) {
      const evidence = publicEvidence === "off" ? null : await findPublicEvidence(db, log, hash);
      if (evidence === null) return { page: { name: "report", hash, stored: null }, status: 404 };
      return { page: { name: "report", hash, stored: await storedTrade(deps, evidence.report) } };
    },
  };
}

async function storedTrade(deps: ReportPageDeps, report: StoredReport): Promise<StoredTrade> {
  const { evidence } = report;
  // Nothing is verified here: facts are told, and no step holds.
  const facts = factsOf(evidence, report.proofs !== undefined);
  const unverified = { steps: [], reservations: [], facts, intentHash: null, issuance: null };
  const judged = judgedView(report, unverified, report);
  const [token] = findByAddress(deps.assets, judged.trade.stockAddress);
  return {
    judged,
    executed: await executedTrade(deps.db, report),
    tokenPath: token === undefined ? null : tokenOf(token, deps.assets).path,
    service: await serviceStatement(deps, evidence),
  };
}

async function executedTrade(db: Database, report: StoredReport): Promise<Executed | null> {
  const executed = await findExecutedTrade(db, report);
  if (executed === null) return null;
  const { transactionHash, blockNumber, blockHash, amountInRaw, amountOutRaw, at } = executed;
  const { chainId } = report.evidence.chain;
  const explorer = explorerOf(chainId);
  return {
    chain: chainOf(chainId) ?? null,
    transactionHash,
    blockNumber,
    blockHash,
    amountInRaw,
    amountOutRaw,
    at: Date.parse(at) / 1_000,
    explorer: explorer && `${explorer}/tx/${transactionHash}`,
  };
}

/** As it is now. @throws DatabaseUnavailable */
async function serviceStatement(
  { deployment, attestation, logAnswers }: ReportPageDeps,
  { policy, registry, liquidity }: StoredReport["evidence"],
): Promise<ServiceStatement> {
  const logKey = await logAnswers.vkey();
  const samplesRoot = liquidity?.samplesRoot ?? null;
  return {
    guard: { chainId: deployment.registry.chainId, address: deployment.guard },
    signers: [attestation().signer],
    logKeys: logKey === null ? [] : [logKey.trim()],
    paths: {
      policy: `/policies/${policy.definitionHash}`,
      registry: `/registry/${registry.hash}`,
      samples: samplesRoot === null ? null : `/samples/${samplesRoot}`,
    },
  };
}
