/** `assay verify`: checks a saved report without trusting its issuer, and prints what was checked and the verdict. */

import type { LogSource } from "../../attestor/log/served.ts";
import { parseUrl } from "../../attestor/values/url.ts";
import { MAX_DOCUMENT_LENGTH } from "../../attestor/verify/document.ts";
import { ReaderFault, readerOptions } from "../../attestor/verify/reader.ts";
import type { KnownGuard, Reader } from "../../attestor/verify/trust.ts";
import type { Verdict } from "../../attestor/verify/verification.ts";
import { unreadable } from "../../attestor/verify/verify.ts";
import { connectJsonRpc, type Rpc } from "../../chain/jsonRpc.ts";
import { command, flag, type GivenBy, list, optionalArgument, text } from "../command.ts";
import { readFile, type World } from "../console.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { address, guardName, hash, vkey } from "../typed.ts";
import { type ArtifactSource, connectLog, connectService, serviceAddress } from "./artifacts.ts";
import { type CheckedDocument, checkDocument, type Sources } from "./checkDocument.ts";
import { installation, knownGuards } from "./knownGuards.ts";
import { print, printTransaction } from "./output.ts";
import { verifyTransaction } from "./transaction.ts";

const EXIT_CODES: Record<Verdict, number> = {
  VALID: EXIT.ok,
  INVALID: EXIT.failed,
  UNVERIFIABLE: EXIT.unusable,
};

function nodeAddress(typed: string): string {
  if (/^https?:$/.test(parseUrl(typed)?.protocol ?? "")) return typed;
  throw new UsageError("must be an http or https URL");
}

const VERIFY_OPTIONS = {
  tx: text(
    "HASH",
    "check a transaction instead, by the guard's event in its receipt; needs --rpc and --service",
    hash,
  ),
  service: text(
    "URL",
    "the service that publishes the evidence which the event names, once the block is final. It also gives the registry and policies that are missing here; none of it is trusted. With a report: the service of the log that the report is in, whose tree must continue the one that proves the report",
    serviceAddress,
  ),
  guard: text("CHAIN:ADDRESS", "the guard that you use, such as 56:0x…", guardName),
  signer: text("ADDRESS", "the attestation key that you trust", address),
  logKey: list(
    "VKEY",
    "the key of the decision log. It vouches for the reports in it, and for the keys that they name",
    vkey,
  ),
  witness: list(
    "VKEY",
    "require that this witness cosigned the proof's checkpoint or, with --service, one that continues it",
    vkey,
  ),
  rpc: text(
    "URL",
    "also ask your own node for the chain, the evidence's block, the guard's code and keys, and the event of the trade",
    nodeAddress,
  ),
  strict: flag("an unchecked fact that could be checked leaves the report UNVERIFIABLE"),
  header: text(
    "FILE",
    "the header of the evidence's block, as you have it from the chain: eth_getBlockByHash's answer, or its RLP; what is proved then holds unconditionally",
  ),
  registry: text(
    "FILE",
    "the registry (or a deployment file with it) to compare the trade with; one from the service confirms nothing",
  ),
  policies: text("FILE", "more policies, as GET /v1/policies returns them"),
  samples: text("FILE", "the samples behind the liquidity grade, as GET /samples/<root> returns them"),
  guardianSets: text("FILE", "more keys of price publishers, for prices that were signed after this release"),
  verbose: flag("print every step and what each fact rests on, too"),
  json: flag("print JSON"),
};

/** How the outside is reached. */
export interface VerifyDeps {
  connect(url: string): Rpc;
  /** What this installation knows by itself. */
  installed(): Promise<readonly KnownGuard[]>;
  openService(base: string): ArtifactSource;
  openLog(base: string): LogSource;
}

/** Over HTTP. @param installed what this installation knows by itself */
export const overHttp = (installed: VerifyDeps["installed"]): VerifyDeps => ({
  connect: connectJsonRpc,
  installed,
  openService: connectService,
  openLog: connectLog,
});

/**
 * @param known which guards the program knows by itself, for the help
 * @param depsOf how the outside is reached
 */
export function verifyCommand(known: string, depsOf: (world: World) => VerifyDeps) {
  return command({
    summary:
      "Check a saved report without trusting its issuer, offline; the first line printed is the verdict",
    positionals: { report: optionalArgument("the report's file, or - for standard input") },
    options: VERIFY_OPTIONS,
    notes: [
      "It recomputes the hashes, judges the evidence again, checks certificate, signature and calls, and asks who issued it.",
      "It takes a report, the answer of prepare-execution, or a job with its report.",
      "",
      "VALID needs an issuer whom you trust: --guard, --signer or --log-key, never the document. Without them:",
      `${known}.`,
      "",
      "Exit code 0: VALID, everything follows and it was issued by a key that you trust. 1: INVALID, something contradicts.",
      "2: UNVERIFIABLE, something is missing (such as a signature, or a reason to trust it), or the command is invalid.",
      "",
      '--guardian-sets takes {"signerSets": [{"index": 2, "validFrom": seconds, "validUntil": null, "signers": ["0x…"]}]}',
      'or {"chainlink": [{"digest", "f", "signers", "feeds", "source"}]}.',
    ],
    run: (given, world) => judged(given, world, depsOf(world)),
  });
}

export const verify = verifyCommand(
  "the deployments of this installation (deployments/<chainId>.json), and for chain 31337 the local world in DATA_DIR",
  ({ env }) => overHttp(() => knownGuards(installation(env))),
);

type VerifyGiven = GivenBy<typeof VERIFY_OPTIONS> & { readonly report: string | undefined };

/**
 * @returns the exit code
 * @throws UsageError for arguments that make no sense, Unusable for a registry, policies or publishers' keys file that
 *   cannot be read
 */
async function judged(given: VerifyGiven, world: World, deps: VerifyDeps): Promise<number> {
  const { connect, openService, openLog } = deps;
  const { json, verbose, rpc, service } = given;
  const transaction = transactionIn(given);
  const reader = { ...(await readerFrom(given, world)), known: await deps.installed() };
  const output = { json, verbose, now: Math.floor(world.now() / 1000) };
  if (transaction !== null) {
    const { tx, node, service: base } = transaction;
    const trades = await verifyTransaction(tx, reader, connect(node), openService(base), openLog(base));
    return EXIT_CODES[printTransaction(tx, trades, output, world)];
  }
  const log = service === undefined ? null : openLog(service);
  const node = rpc === undefined ? null : connect(rpc);
  const checked = await verifyFile(given.report ?? "-", reader, { log, node }, world);
  print(checked, output, world);
  return EXIT_CODES[checked.verification.verdict];
}

/** The transaction in place of a report, and whom it is asked of; null: it is a report. @throws UsageError */
function transactionIn({ report, tx, rpc, service }: VerifyGiven) {
  if (tx === undefined && report === undefined)
    throw new UsageError("verify needs the file of a report, - for standard input, or --tx");
  if (tx === undefined) return null;
  if (rpc === undefined || service === undefined) throw new UsageError("--tx needs --rpc and --service");
  if (report !== undefined) throw new UsageError("verify takes a report or --tx, not both");
  return { tx, node: rpc, service };
}

async function verifyFile(
  file: string,
  reader: Reader,
  sources: Sources,
  world: World,
): Promise<CheckedDocument> {
  let content: string;
  try {
    content = await world.readText(file, MAX_DOCUMENT_LENGTH);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    const name = file === "-" ? "Standard input" : file;
    return { verification: unreadable(`${name} cannot be read: ${error.message}.`), executed: null };
  }
  return await checkDocument(content, reader, sources);
}

type Files = Pick<VerifyGiven, "registry" | "header" | "policies" | "samples" | "guardianSets">;

/** Whom the reader trusts, and what the files hold that the reader has. @throws Unusable */
async function readerFrom(given: VerifyGiven, world: World): Promise<Reader> {
  const { guard, signer, logKey, witness, strict } = given;
  const { registry, header, policies, samples, guardianSets } = given;
  const files: Files = { registry, header, policies, samples, guardianSets };
  const texts: Partial<Record<keyof Files, string>> = {};
  for (const [name, path] of Object.entries(files)) {
    if (path === undefined) continue;
    const content = await readFile(path, MAX_DOCUMENT_LENGTH, world);
    if (content.trim() === "") throw new Unusable(`${path}: it is empty`);
    texts[name as keyof Files] = content;
  }
  const logKeys = logKey.length === 0 ? undefined : logKey;
  const witnessKeys = witness.length === 0 ? undefined : witness;
  try {
    return { ...readerOptions(texts), guard, signer, logKeys, witnessKeys, strict };
  } catch (error) {
    if (!(error instanceof ReaderFault)) throw error;
    throw new Unusable(`${files[error.field as keyof Files]}: ${error.message}`);
  }
}
