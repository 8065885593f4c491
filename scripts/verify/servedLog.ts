/** Asks the service of a log, for a report that is to be verified, which tree it serves to everybody. */
import { setTimeout as sleep } from "node:timers/promises";
import { askServed, type LogSource } from "../../attestor/log/served.ts";
import { checkpointIn } from "../../attestor/log/verifyLog.ts";
import { asRecord } from "../../attestor/values/json.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { openDocument } from "../../attestor/verify/document.ts";
import type { Reader } from "../../attestor/verify/trust.ts";
import { filesOf } from "../log/files.ts";
import { fetchOfHost } from "./publicArtifacts.ts";

/** A service's checkpoint may be kept for two seconds by what stands before it. */
const PAUSE_MS = 3_000;

/** @param base as `serviceAddress` gives it */
export function connectLog(base: string): LogSource {
  return { file: filesOf(`${base}/log`, fetchOfHost), pause: () => sleep(PAUSE_MS) };
}

/** The reader with what the service serves, where the document has a proof by a log that the reader trusts. */
export async function withServedLog(text: string, reader: Reader, source: LogSource): Promise<Reader> {
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
