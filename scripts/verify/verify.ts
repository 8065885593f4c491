/** `assay verify`: checks a saved report without trusting its issuer, and prints what was checked and the verdict. */
import type { LogSource } from "../../attestor/log/served.ts";
import { parseUrl } from "../../attestor/values/url.ts";
import { MAX_DOCUMENT_LENGTH } from "../../attestor/verify/document.ts";
import { ReaderFault, type ReaderTexts, readerOptions } from "../../attestor/verify/reader.ts";
import type { KnownGuard, Reader } from "../../attestor/verify/trust.ts";
import type { Verdict } from "../../attestor/verify/verification.ts";
import { unreadable, verifyDocument } from "../../attestor/verify/verify.ts";
import { connectJsonRpc, type Rpc } from "../../chain/jsonRpc.ts";
import { PlainError, parseTyped, readFile, UsageError, type World } from "../console.ts";
import { installation, knownGuards } from "./knownGuards.ts";
import { type ArtifactSource, connectService, serviceAddress } from "./publicArtifacts.ts";
import { connectLog, withServedLog } from "./servedLog.ts";
import { type CheckedDocument, verifyOnChain } from "./verifyOnChain.ts";
import { print, printTransaction } from "./verifyOutput.ts";
import { verifyTransaction } from "./verifyTransaction.ts";

const EXIT_CODES: Record<Verdict, number> = { VALID: 0, INVALID: 1, UNVERIFIABLE: 2 };

const OPTIONS = {
  tx: { type: "string" },
  service: { type: "string" },
  rpc: { type: "string" },
  strict: { type: "boolean" },
  header: { type: "string" },
  guard: { type: "string" },
  signer: { type: "string" },
  registry: { type: "string" },
  policies: { type: "string" },
  samples: { type: "string" },
  "guardian-sets": { type: "string" },
  "log-key": { type: "string", multiple: true },
  witness: { type: "string", multiple: true },
  json: { type: "boolean" },
  verbose: { type: "boolean" },
} as const;

/**
 * @param connect how to reach the node of an RPC address
 * @param installed what this installation knows by itself
 * @param openService how to reach the service that publishes evidence
 * @param openLog how to reach its decision log
 * @returns the exit code
 * @throws UsageError for arguments that make no sense, PlainError for a registry, policies or publishers' keys file that
 *   cannot be read
 */
export async function verifyCommand(
  args: string[],
  world: World,
  connect: (url: string) => Rpc = connectJsonRpc,
  installed: () => Promise<readonly KnownGuard[]> = () => knownGuards(installation()),
  openService: (base: string) => ArtifactSource = connectService,
  openLog: (base: string) => LogSource = connectLog,
): Promise<number> {
  const { file, transaction, service, rpc, json, verbose, given } = await readArguments(args, world);
  const reader = { ...given, known: await installed() };
  const output = { json, verbose, now: Math.floor(world.now() / 1000) };
  if (transaction !== null) {
    const { hash, node, service: base } = transaction;
    const trades = await verifyTransaction(hash, reader, connect(node), openService(base), openLog(base));
    return EXIT_CODES[printTransaction(hash, trades, output, world)];
  }
  const log = service === undefined ? null : openLog(serviceAddress(service));
  const node = rpc === undefined ? null : connect(rpc);
  const checked = await verifyFile(file, reader, { log, node }, world);
  print(checked, output, world);
  return EXIT_CODES[checked.verification.verdict];
}

async function readArguments(args: string[], world: World) {
  const { values, positionals } = parseTyped({ args, allowPositionals: true, options: OPTIONS });
  const [file, ...more] = positionals;
  const transaction = transactionIn(values);
  if (file === undefined && transaction === null)
    throw new UsageError("verify needs the file of a report, - for standard input, or --tx");
  if (file !== undefined && transaction !== null)
    throw new UsageError("verify takes a report or --tx, not both");
  if (more.length > 0) throw new UsageError("verify takes one report at a time");
  if (values.rpc !== undefined && !/^https?:$/.test(parseUrl(values.rpc)?.protocol ?? ""))
    throw new UsageError("--rpc must be an http or https URL");
  const { guard, signer, "log-key": logKeys, witness } = values;
  const typed = { guard, signer, logKey: logKeys?.join("\n"), witness: witness?.join("\n") };
  const { registry, header, policies, samples, "guardian-sets": guardianSets } = values;
  const read = await readGiven(typed, { registry, header, policies, samples, guardianSets }, world);
  const given: Reader = { ...read, strict: values.strict };
  const { service, rpc, json = false, verbose = false } = values;
  return { file: file ?? "-", transaction, service, rpc, json, verbose, given };
}

/** @throws UsageError */
function transactionIn({ tx, rpc, service }: { tx?: string; rpc?: string; service?: string }) {
  if (tx === undefined) return null;
  if (!/^0x[0-9a-fA-F]{64}$/.test(tx)) throw new UsageError("--tx must be 0x and 64 hexadecimal digits");
  if (rpc === undefined || service === undefined) throw new UsageError("--tx needs --rpc and --service");
  return { hash: tx.toLowerCase(), node: rpc, service: serviceAddress(service) };
}

async function verifyFile(
  file: string,
  reader: Reader,
  { log, node }: { log: LogSource | null; node: Rpc | null },
  world: World,
): Promise<CheckedDocument> {
  let text: string;
  try {
    text = await world.readText(file, MAX_DOCUMENT_LENGTH);
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    const name = file === "-" ? "Standard input" : file;
    return { verification: unreadable(`${name} cannot be read: ${error.message}.`), executed: null };
  }
  const informed = log === null ? reader : await withServedLog(text, reader, log);
  if (node === null) return { verification: verifyDocument(text, informed), executed: null };
  return await verifyOnChain(text, informed, node);
}

type Texts = Partial<Record<keyof ReaderTexts, string | undefined>>;

/** @param files by what is read in them, their names */
async function readGiven(typed: Texts, files: Texts, world: World): Promise<Reader> {
  for (const [field, text] of Object.entries(typed))
    if (text?.trim() === "") throw new UsageError(`${optionOf(field)} needs a value`);
  const texts: Texts = { ...typed };
  for (const [field, path] of Object.entries(files)) {
    if (path === undefined) continue;
    const text = await readFile(path, MAX_DOCUMENT_LENGTH, world);
    if (text.trim() === "") throw new PlainError(`${path}: it is empty`);
    texts[field as keyof ReaderTexts] = text;
  }
  try {
    return readerOptions(texts);
  } catch (error) {
    if (!(error instanceof ReaderFault)) throw error;
    const path = files[error.field];
    if (path !== undefined) throw new PlainError(`${path}: ${error.message}`);
    throw new UsageError(`${optionOf(error.field)} ${error.message}`);
  }
}

/** `--log-key` of `logKey`. */
const optionOf = (field: string) => `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
