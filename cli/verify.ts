/** `assay verify`: checks a saved report by no one's word, and prints what was checked and the verdict. */
import { parseArgs } from "node:util";
import { MAX_DOCUMENT_LENGTH, parseDocument } from "../attestor/document.ts";
import { parsePolicies } from "../attestor/policy.ts";
import { Address } from "../attestor/primitives.ts";
import { parseRegistry, type Registry } from "../attestor/registry.ts";
import { asRecord, type Outcome, type Verdict, verdictOf } from "../attestor/steps.ts";
import { unverifiable, type Verification, type VerifyOptions, verifyDocument } from "../attestor/verify.ts";
import { connectJsonRpc, type Rpc } from "../chain/jsonRpc.ts";
import { stepsOnChain } from "../chain/reportOnChain.ts";
import { PlainError, UsageError, type World } from "./console.ts";

export const VERIFY_HELP = `assay verify <report.json | -> [options]

  Recomputes the hashes of a saved report, judges its evidence again, and checks certificate and
  signature where the document carries them. Takes a report, the answer of prepare-execution, or a
  job with its report. Works offline.

  --rpc URL        also ask a node for the guard's signer and for the event of the trade
  --signer 0x…     the attestation key that you trust, instead of the guard's signer in the evidence;
                   a document without a certificate is then UNVERIFIABLE
  --registry FILE  the registry (or a deployment file with it) to hold the trade against
  --policies FILE  more policies, as GET /v1/policies answers them
  --json           print JSON

  Exit code 0: VALID. 1: INVALID. 2: UNVERIFIABLE, or the command makes no sense.`;

const EXIT_CODES: Record<Verdict, number> = { VALID: 0, INVALID: 1, UNVERIFIABLE: 2 };
const MARKS: Record<Outcome, string> = { ok: "ok", wrong: "WRONG", unknown: "unknown", absent: "absent" };

/**
 * @param connect how to reach the node of an RPC address
 * @returns the exit code
 * @throws UsageError for arguments that make no sense, PlainError for a registry or policies file that cannot be read
 */
export async function verifyCommand(
  args: string[],
  world: World,
  connect: (url: string) => Rpc = connectJsonRpc,
): Promise<number> {
  const { file, rpc, json, options } = await readArguments(args, world);
  const offline = await verifyFile(file, options, world);
  const result = rpc === undefined ? offline : await withChain(offline, connect(rpc));
  print(result, json, world);
  return EXIT_CODES[result.verdict];
}

async function readArguments(args: string[], world: World) {
  const { values, positionals } = parse(args);
  const [file, ...more] = positionals;
  if (file === undefined) throw new UsageError("verify needs the file of a report, or - for standard input");
  if (more.length > 0) throw new UsageError("verify takes one report at a time");
  if (values.rpc !== undefined && !/^https?:$/.test(URL.parse(values.rpc)?.protocol ?? ""))
    throw new UsageError("--rpc must be an http or https URL");
  const signer = Address.optional().safeParse(values.signer);
  if (!signer.success) throw new UsageError("--signer must be an address: 0x and 40 hexadecimal digits");
  const options: VerifyOptions = {
    signer: signer.data,
    registry: values.registry === undefined ? undefined : await readRegistry(values.registry, world),
    policies: values.policies === undefined ? [] : await readPolicies(values.policies, world),
  };
  return { file, rpc: values.rpc, json: values.json ?? false, options };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        rpc: { type: "string" },
        signer: { type: "string" },
        registry: { type: "string" },
        policies: { type: "string" },
        json: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function verifyFile(file: string, options: VerifyOptions, world: World): Promise<Verification> {
  let text: string;
  try {
    text = await world.readText(file, MAX_DOCUMENT_LENGTH);
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    return unverifiable(
      "document",
      `${file === "-" ? "Standard input" : file} cannot be read: ${error.message}.`,
    );
  }
  return verifyDocument(text, options);
}

async function readRegistry(path: string, world: World): Promise<Registry> {
  const value = await readJson(path, world);
  return explained(path, () => parseRegistry(asRecord(value)?.registry ?? value));
}

async function readPolicies(path: string, world: World) {
  const value = await readJson(path, world);
  return explained(path, () => parsePolicies(value));
}

async function readJson(path: string, world: World): Promise<unknown> {
  try {
    return parseDocument(await world.readText(path, MAX_DOCUMENT_LENGTH));
  } catch (error) {
    throw new PlainError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function explained<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new PlainError(`${path}: ${(error as Error).message}`);
  }
}

/** Asks the chain as well, once there is a report that could be judged. */
async function withChain(offline: Verification, rpc: Rpc): Promise<Verification> {
  if (offline.report === null) return offline;
  const steps = [...offline.steps, ...(await stepsOnChain(offline.report, offline.intentHash, rpc))];
  return { ...offline, steps, verdict: verdictOf(steps) };
}

function print({ verdict, steps, evidenceHash, report }: Verification, json: boolean, world: World): void {
  if (json) {
    const { jobId = null, version = null, decision = null } = report ?? {};
    world.out(JSON.stringify({ verdict, jobId, version, decision, evidenceHash, steps }, null, 2));
    return;
  }
  const width = Math.max(...steps.map(({ name }) => name.length));
  for (const { name, outcome, detail } of steps)
    world.out(`${MARKS[outcome].padEnd(7)}  ${name.padEnd(width)}  ${printable(detail)}`);
  world.out(verdict);
}

/** A report's text may hold anything; a terminal must not obey it. */
function printable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}
