/** `assay verify` in this process, on a document and a node that a test gives it. */
import { expect } from "chai";
import { hashIntent } from "../../attestor/certificate/certificate.ts";
import type { FetchFile } from "../../attestor/log/served.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import type { Rpc } from "../../chain/jsonRpc.ts";
import { PlainError } from "../../cli/console.ts";
import type { ArtifactSource } from "../../cli/verify/publicArtifacts.ts";
import { verifyCommand } from "../../cli/verify/verifyCommand.ts";
import { CHAIN_ID, copy, GUARD, prepared, SIGNER, soundReport } from "../attestor/fixtures.ts";
import { fakeConsole } from "./fakeConsole.ts";
import { EVIDENCE_BLOCK, type GuardNode } from "./guardNode.ts";

export type Verified = Awaited<ReturnType<typeof verifiedWith>>;

/** What a reader trusts who names the guard, or the key. */
export const NAMED = ["--guard", `${CHAIN_ID}:${GUARD}`];
export const SIGNED = ["--signer", SIGNER.address];

/** Expects that it ended with the code and with its verdict, and that its output has all of this. */
export function expectEnd(found: Verified, code: number, ...told: readonly RegExp[]): Verified {
  expect([found.code, found.verdict], found.text).to.deep.equal([code, VERDICTS[code]]);
  for (const each of told) expect(found.text).to.match(each);
  return found;
}

/** By exit code. */
const VERDICTS = ["VALID", "INVALID", "UNVERIFIABLE"];

/** @param args without --rpc; the document is what standard input holds */
export async function verifiedWith(
  args: readonly string[],
  rpc: Rpc,
  given: {
    document?: unknown;
    files?: Record<string, string>;
    known?: readonly KnownGuard[];
    service?: ArtifactSource;
    log?: FetchFile;
  } = {},
) {
  const files: Record<string, string> = { ...given.files };
  if ("document" in given) files["-"] = JSON.stringify(given.document);
  const { world, shown } = fakeConsole([], files);
  const code = await verifyCommand(
    [...args, "--rpc", "http://node"],
    world,
    () => rpc,
    async () => [...(given.known ?? [])],
    () => given.service ?? (() => Promise.reject(new PlainError("not here"))),
    () => ({ file: given.log ?? (() => Promise.reject(new PlainError("not here"))), pause: async () => {} }),
  );
  const last = shown.at(-1) ?? "";
  return { code, verdict: last.split(":")[0], last, text: shown.join("\n") };
}

export type NodesTrade = NonNullable<GuardNode["trades"]>[number];

/** A sound prepared trade, and how the chain has it once the guard executed it in the next block. */
export async function preparedAndExecuted(given = soundReport()) {
  const document: any = copy(await prepared(given));
  const { report, execution } = document;
  const intentHash = hashIntent(execution.tradeIntent.message);
  const own: NodesTrade = { block: EVIDENCE_BLOCK + 1, evidenceHash: report.evidenceHash, intentHash };
  return { document, own };
}
