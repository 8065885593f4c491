/** `assay verify --tx`: from nothing but a transaction to the verdicts on its trades. */

import { jobIdHash } from "../../attestor/certificate/certificate.ts";
import type { LogSource } from "../../attestor/log/served.ts";
import { POLICY_VERSIONS, type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { parseRegistry, registryHash } from "../../attestor/registry.ts";
import type { Fault } from "../../attestor/values/fault.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { parseDocument } from "../../attestor/verify/document.ts";
import { type Reader, sameAddress } from "../../attestor/verify/trust.ts";
import { unreadable, verifyDocument } from "../../attestor/verify/verify.ts";
import { nodeFault, type Rpc } from "../../chain/jsonRpc.ts";
import {
  type GuardTrade,
  type TransactionTrades,
  tradesOfTransaction,
} from "../../chain/transactionTrades.ts";
import type { ArtifactSource } from "./artifacts.ts";
import { type CheckedDocument, checkDocument, reportIn } from "./checkDocument.ts";

export interface TradeVerification extends CheckedDocument {
  /** What the guard's event names; null where the transaction itself could not be read. */
  readonly evidenceHash: string | null;
}

/** More would be a burden on the service: who has so many saves their evidence. */
const MOST_TRADES = 16;

/**
 * Never throws: what node or service do not say leaves a trade UNVERIFIABLE.
 * @param hash of the transaction, lower case
 * @param reader whom the reader trusts; nothing that node or service say is a reason to trust
 * @returns one for each trade of a guard that the reader trusts (of any, where the reader trusts a log alone), at least one
 */
export async function verifyTransaction(
  hash: string,
  reader: Reader,
  rpc: Rpc,
  service: ArtifactSource,
  log: LogSource,
): Promise<readonly TradeVerification[]> {
  const found = await trustedTrades(hash, reader, rpc);
  if (typeof found === "string") return [{ evidenceHash: null, ...nothingRead(found) }];
  const verified: TradeVerification[] = [];
  for (const trade of found.trades) {
    const checked = await verifyTrade(trade, found.chainId, reader, rpc, { service, log });
    verified.push({ evidenceHash: trade.evidenceHash, ...checked });
  }
  return verified;
}

/** @param reason a sentence */
const nothingRead = (reason: string): CheckedDocument => ({
  verification: unreadable(reason),
  executed: null,
});

/** @returns a sentence where there is none to verify */
async function trustedTrades(hash: string, reader: Reader, rpc: Rpc): Promise<TransactionTrades | string> {
  let found: TransactionTrades | null;
  try {
    found = await tradesOfTransaction(hash, rpc);
  } catch (error) {
    return nodeFault(error);
  }
  if (found === null)
    return `The node has no transaction ${hash} in a block: is it a node of the right chain, and has the transaction been mined?`;
  const { chainId, succeeded, trades } = found;
  if (!succeeded) return `The transaction ${hash} was reverted: nothing was traded in it.`;
  if (reader.guard !== undefined && reader.guard.chainId !== chainId)
    return `The node serves chain ${chainId}, and the guard that you named is on chain ${reader.guard.chainId}: name a node of that chain with --rpc.`;
  const guards = trustedGuards(reader, chainId);
  // Trust in a decision log makes the report in it name the guard; the event must then be that guard's.
  const isAsLogged = guards.length === 0 && (reader.logKeys ?? []).length > 0;
  if (guards.length === 0 && !isAsLogged)
    return `No guard on chain ${chainId} is known here: name yours with --guard ${chainId}:0x… (do not take it from the transaction), or a decision log that you trust with --log-key.`;
  const own = isAsLogged
    ? trades
    : trades.filter(({ guard }) => guards.some((trusted) => sameAddress(trusted, guard)));
  if (own.length === 0 && isAsLogged) return `No guard executed a trade in ${hash}.`;
  if (own.length === 0)
    return `The guard ${guards.join(", ")} executed no trade in ${hash}${trades.length > 0 ? `; another contract, ${trades[0]?.guard}, says that it did, and you do not trust it` : ""}.`;
  if (own.length > MOST_TRADES)
    return `The transaction executed ${own.length} trades, more than ${MOST_TRADES}: save the evidence of each and verify it with assay verify FILE.`;
  return { ...found, trades: own };
}

/** The one that the reader named, else those that this installation knows. */
function trustedGuards({ guard, known }: Reader, chainId: number): readonly string[] {
  const named = guard === undefined ? (known ?? []) : [guard];
  return named.filter((one) => one.chainId === chainId).map(({ address }) => address);
}

async function verifyTrade(
  trade: GuardTrade,
  chainId: number,
  given: Reader,
  rpc: Rpc,
  { service, log }: { service: ArtifactSource; log: LogSource },
): Promise<CheckedDocument> {
  const answer = await service("evidence", trade.evidenceHash);
  if (answer.kind === "missing")
    return nothingRead(
      `The service has no public evidence ${trade.evidenceHash}. The trade's block may not be final yet (try again in a minute), another service may have judged the trade, or the operator publishes no evidence. Ask the owner for the saved report, and run assay verify FILE.`,
    );
  if (answer.kind === "failed") return nothingRead(`The service does not give the evidence: ${answer.why}.`);
  const defined = await withDefinitions(answer.text, chainId, given, service);
  const faults = eventFaults(answer.text, trade, chainId, defined);
  return await checkDocument(answer.text, defined, { log, node: rpc }, { executed: [trade], faults });
}

/** Holds what the service gave against the guard's event, which is the node's word: it must be this trade's, and no other. */
function eventFaults(text: string, trade: GuardTrade, chainId: number, reader: Reader): Fault[] {
  const { report, evidenceHash, intentHash } = verifyDocument(text, reader);
  const faults: Fault[] = [];
  if (evidenceHash !== trade.evidenceHash)
    faults.push({
      code: "event_other_evidence",
      params: { named: trade.evidenceHash, given: evidenceHash ?? "what has no hash" },
    });
  if (report === null) return faults;
  const { chain, guard } = report.evidence;
  const isSameGuard = chain.chainId === chainId && sameAddress(guard.address, trade.guard);
  const differing = [
    ...(isSameGuard ? [] : ["the guard"]),
    ...(jobIdHash(report.jobId) === trade.jobIdHash ? [] : ["the job"]),
    ...(intentHash === trade.intentHash ? [] : ["the trade intent"]),
  ];
  if (differing.length > 0) faults.push({ code: "event_differs", params: { members: differing.join(", ") } });
  return faults;
}

/** Adds what only the service vouches for: registry and policy that the evidence names, where the reader has none. */
async function withDefinitions(
  text: string,
  chainId: number,
  reader: Reader,
  service: ArtifactSource,
): Promise<Reader> {
  const evidence = asRecord(reportIn(text)?.evidence);
  const policyHash = Bytes32.safeParse(asRecord(evidence?.policy)?.definitionHash).data;
  const hash = Bytes32.safeParse(asRecord(evidence?.registry)?.hash).data;
  const policies = reader.policies ?? [];
  const isPolicyKnown = [...policies, ...POLICY_VERSIONS].some(
    ({ definitionHash }) => definitionHash === policyHash,
  );
  const isRegistryKnown =
    reader.registry !== undefined ||
    (reader.known ?? []).some(
      (known) =>
        known.chainId === chainId && known.registry !== undefined && registryHash(known.registry) === hash,
    );
  const policy =
    policyHash === undefined || isPolicyKnown
      ? null
      : await ofService(service, "policies", policyHash, policyIn);
  const registry =
    hash === undefined || isRegistryKnown ? null : await ofService(service, "registry", hash, registryOf);
  return {
    ...reader,
    ...(policy === null ? {} : { servicePolicies: [policy] }),
    ...(registry === null ? {} : { serviceRegistry: registry }),
  };
}

/** null where the service has none, or another one than the hash binds. */
async function ofService<T>(
  service: ArtifactSource,
  kind: "policies" | "registry",
  hash: string,
  read: (value: unknown) => { readonly found: T; readonly hash: string | undefined },
): Promise<T | null> {
  const answer = await service(kind, hash);
  if (answer.kind !== "found") return null;
  const given = orElse(() => read(parseDocument(answer.text)), null);
  return given?.hash === hash ? given.found : null;
}

function policyIn(value: unknown) {
  const [found] = parsePolicies([value]) as [Policy];
  return { found, hash: found.definitionHash };
}

function registryOf(value: unknown) {
  const found = parseRegistry(value);
  return { found, hash: registryHash(found) };
}
