/** Verifies a document with everything that may be asked about it: the service of its log, and a node of the reader's. */
import { askServed, type LogSource } from "../../attestor/log/served.ts";
import { checkpointIn } from "../../attestor/log/verifyLog.ts";
import type { Fault } from "../../attestor/values/fault.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { openDocument } from "../../attestor/verify/document.ts";
import { registryFor } from "../../attestor/verify/registry.ts";
import type { ExecutedTrade } from "../../attestor/verify/trust.ts";
import { knownGuard, type Reader } from "../../attestor/verify/trust.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import type { Rpc } from "../../chain/jsonRpc.ts";
import { readAgain } from "../../chain/readAgain.ts";
import { askChain, type ChainQuestion } from "../../chain/reportOnChain.ts";

/** A document as it was verified. */
export interface CheckedDocument {
  readonly verification: Verification;
  /** The trade as the guard executed it; null: no node was asked, or it shows none. */
  readonly executed: ExecutedTrade | null;
}

interface FoundBefore {
  /** Trades that the reader found by themselves, in the place of a search for events. */
  readonly executed?: ChainQuestion["executed"];
  /** What stands against the document already. */
  readonly faults?: readonly Fault[];
}

/** What may be asked; null: it is not. */
export interface Sources {
  readonly log: LogSource | null;
  readonly node: Rpc | null;
}

/** Never throws: what is not answered leaves the document UNVERIFIABLE. */
export async function checkDocument(
  text: string,
  reader: Reader,
  { log, node }: Sources,
  found: FoundBefore = {},
): Promise<CheckedDocument> {
  const informed = log === null ? reader : await withServedLog(text, reader, log);
  if (node === null) return { verification: verifyDocument(text, informed), executed: null };
  return await checkOnChain(text, informed, node, found);
}

/** The reader with what the service serves, where the document has a proof by a log that the reader trusts. */
async function withServedLog(text: string, reader: Reader, source: LogSource): Promise<Reader> {
  const logs = reader.logKeys ?? (reader.known ?? []).flatMap(({ logKeys = [] }) => logKeys);
  const note = checkpointIn(reportIn(text));
  if (note === null) return reader;
  const trust = { logs, witnesses: reader.witnessKeys ?? [] };
  return { ...reader, served: await askServed(note, trust, source) };
}

/** The report in a document, as `verifyDocument` finds it; null where there is none. */
export function reportIn(text: string) {
  const document = asRecord(orElse(() => openDocument(text).value, null));
  return asRecord(document?.report) ?? document;
}

/**
 * With what the node says; what it does not say, or refuses, is a fault of step `chain`.
 * @param text of the document
 */
async function checkOnChain(
  text: string,
  reader: Reader,
  rpc: Rpc,
  { executed, faults = [] }: FoundBefore,
): Promise<CheckedDocument> {
  const offline = verifyDocument(text, reader);
  const { report, intentHash, executableUntil, facts } = offline;
  if (report === null) return { verification: offline, executed: null };
  const { evidence } = report;
  const { chain, guard } = evidence;
  const known = knownGuard(reader, { chainId: chain.chainId, address: guard.address });
  const question: ChainQuestion = { report, intentHash, executableUntil, guardRecord: known };
  const found = await askChain(executed === undefined ? question : { ...question, executed }, rpc);
  // On another chain, or where the block is not there, there is nothing to read again.
  const again = found.hasBlock
    ? await readAgain(evidence, facts, {
        rpc,
        deployedAtBlock: known?.deployedAtBlock,
        registry: registryFor(evidence, reader),
      })
    : { faults: [], trusted: [] };
  const findings = {
    ...found,
    faults: [...faults, ...found.faults, ...again.faults],
    trusted: [...found.trusted, ...again.trusted],
  };
  const verification = verifyDocument(text, { ...reader, chain: findings });
  return { verification, executed: found.executed };
}
