/** `assay verify`: checks a saved report by no one's word, and prints what was checked and the verdict. */
import { parseArgs } from "node:util";
import { MAX_DOCUMENT_LENGTH, parseDocument } from "../attestor/document.ts";
import { type KnownGuard, knownGuard } from "../attestor/issuer.ts";
import { parsePolicies } from "../attestor/policy.ts";
import { Address } from "../attestor/primitives.ts";
import { parseRegistry, type Registry } from "../attestor/registry.ts";
import { asRecord, type Outcome, sentenceOf, type Verdict } from "../attestor/steps.ts";
import {
  unverifiable,
  type Verification,
  type VerifyOptions,
  verifyDocument,
  withChain,
} from "../attestor/verify.ts";
import { connectJsonRpc, type Rpc } from "../chain/jsonRpc.ts";
import { askChain, issueTime } from "../chain/reportOnChain.ts";
import { PlainError, UsageError, type World } from "./console.ts";
import { guardOf } from "./guardName.ts";
import { installation, knownGuards } from "./knownGuards.ts";

export const VERIFY_HELP = `assay verify <report.json | -> [options]

  Recomputes the hashes of a saved report, judges its evidence again, checks certificate, signature and
  calls, and asks who issued it. Takes a report, the answer of prepare-execution, or a job with its
  report. Works offline.

  VALID needs an issuer whom you trust. Trust comes from these, and never from the document:
  --guard CHAIN:0x…  the guard that you use, such as 56:0x…; its key comes from a deployment that this
                     installation knows, or from --rpc
  --signer 0x…       the attestation key that you trust
  Without either: the deployments of this installation (deployments/<chainId>.json beside the program,
  and for chain 31337 the local world in DATA_DIR).

  --rpc URL        also ask a node of yours for the chain, the evidence's block, the guard's code and keys,
                   and the event of the trade
  --registry FILE  the registry (or a deployment file with it) to hold the trade against
  --policies FILE  more policies, as GET /v1/policies answers them
  --json           print JSON

  The last line is the verdict, with what to do. Exit code 0: VALID, everything follows and it was issued by
  a key that you trust. 1: INVALID, something contradicts. 2: UNVERIFIABLE, something is missing (such as a
  signature, or a reason to trust it), or the command makes no sense.`;

const EXIT_CODES: Record<Verdict, number> = { VALID: 0, INVALID: 1, UNVERIFIABLE: 2 };
const MARKS: Record<Outcome, string> = { ok: "ok", wrong: "WRONG", unknown: "unknown", absent: "absent" };

/**
 * @param connect how to reach the node of an RPC address
 * @param installed what this installation knows by itself
 * @returns the exit code
 * @throws UsageError for arguments that make no sense, PlainError for a registry or policies file that cannot be read
 */
export async function verifyCommand(
  args: string[],
  world: World,
  connect: (url: string) => Rpc = connectJsonRpc,
  installed: () => Promise<readonly KnownGuard[]> = () => knownGuards(installation()),
): Promise<number> {
  const { file, rpc, json, given } = await readArguments(args, world);
  const options = { ...given, known: await installed() };
  const offline = await verifyFile(file, options, world);
  const result = rpc === undefined ? offline : await asked(offline, options, connect(rpc));
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
  const given: VerifyOptions = {
    signer: signer.data,
    guard: values.guard === undefined ? undefined : guardOf(values.guard),
    registry: values.registry === undefined ? undefined : await readRegistry(values.registry, world),
    policies: values.policies === undefined ? [] : await readPolicies(values.policies, world),
  };
  return { file, rpc: values.rpc, json: values.json ?? false, given };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        rpc: { type: "string" },
        guard: { type: "string" },
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
async function asked(offline: Verification, options: VerifyOptions, rpc: Rpc): Promise<Verification> {
  const { report, intentHash, issuance } = offline;
  if (report === null) return offline;
  const { chain, guard } = report.evidence;
  const { steps, standing } = await askChain(
    {
      report,
      intentHash,
      issuedAt: issuance === null ? null : issueTime(report),
      known: knownGuard(options, { chainId: chain.chainId, guard: guard.address }),
    },
    rpc,
  );
  return withChain(offline, options, steps, standing);
}

function print(result: Verification, json: boolean, world: World): void {
  const { verdict, steps, evidenceHash, report } = result;
  const conclusion = printable(sentenceOf(result));
  if (json) {
    const { jobId = null, version = null, decision = null } = report ?? {};
    world.out(
      JSON.stringify({ verdict, conclusion, jobId, version, decision, evidenceHash, steps }, null, 2),
    );
    return;
  }
  const width = Math.max(...steps.map(({ name }) => name.length));
  for (const { name, outcome, detail } of steps)
    world.out(`${MARKS[outcome].padEnd(7)}  ${name.padEnd(width)}  ${printable(detail)}`);
  world.out(conclusion);
}

/** A report's text may hold anything; a terminal must not obey it. */
function printable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}
