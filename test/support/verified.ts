/** `assay verify` in this process, on a document and a node that a test gives it. */
import { expect } from "chai";
import { hashIntent } from "../../attestor/certificate/certificate.ts";
import type { FetchFile } from "../../attestor/log/served.ts";
import type { Policy } from "../../attestor/policies/policy.ts";
import type { Fault, Params } from "../../attestor/values/fault.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import type { Step } from "../../attestor/verify/verification.ts";
import { type Rpc, RpcUnreachable } from "../../chain/jsonRpc.ts";
import { Unusable } from "../../scripts/errors.ts";
import type { ArtifactSource } from "../../scripts/verify/artifacts.ts";
import { verifyCommand } from "../../scripts/verify/verify.ts";
import { CHAIN_ID, copy, GUARD, prepared, SIGNER, soundReport } from "../attestor/fixtures.ts";
import { fakeConsole } from "./fakeConsole.ts";
import { EVIDENCE_BLOCK, type GuardNode } from "./guardNode.ts";
import { typed } from "./typed.ts";

export type Verified = Awaited<ReturnType<typeof verifiedWith>>;

/** What a reader trusts who names the guard, or the key. */
export const NAMED = ["--guard", `${CHAIN_ID}:${GUARD}`];
export const SIGNED = ["--signer", SIGNER.address];

/** The guard as a record has it, by default with no key. */
export const recorded = (more: Partial<KnownGuard> = {}): KnownGuard => ({
  chainId: CHAIN_ID,
  address: GUARD,
  record: "deployments/31337.json",
  keys: [],
  ...more,
});

/** A node that does not answer. */
export const unreachable: Rpc = () => Promise.reject(new RpcUnreachable("ECONNREFUSED"));

/** By exit code. */
const VERDICTS = ["VALID", "INVALID", "UNVERIFIABLE"];

/**
 * Expects that it ended with the code and with its verdict.
 * @param codes of faults or reservations, each with its step, such as `chain block_other`
 */
export function expectEnd(found: Verified, code: number, ...codes: readonly string[]): Verified {
  const told = found.codes.join(", ");
  expect([found.code, found.verdict], told).to.deep.equal([code, VERDICTS[code]]);
  expect(found.codes, told).to.include.members([...codes]);
  return found;
}

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
  const nowhere = () => Promise.reject(new Unusable("not here"));
  const command = verifyCommand("", () => ({
    connect: () => rpc,
    installed: async () => [...(given.known ?? [])],
    openService: () => given.service ?? nowhere,
    openLog: () => ({ file: given.log ?? nowhere, pause: async () => {} }),
  }));
  const code = await typed(command, [...args, "--json", "--rpc", "http://node"], world);
  const json = JSON.parse(shown.join("\n"));
  /** Of a transaction its first trade. */
  const { conclusion, steps, reservations, executed, issuedBy, logged } = json.trades?.[0] ?? json;
  const faults = steps.flatMap((step: Step) => step.faults.map((fault) => ({ step: step.name, ...fault })));
  const all: (Fault & { step: string })[] = [...faults, ...reservations];
  return {
    code,
    verdict: json.verdict as string,
    conclusion: conclusion as string,
    faults: faults as (Fault & { step: string })[],
    /** Of faults, then of reservations, each with its step. */
    codes: all.map((each) => `${each.step} ${each.code}`),
    /** Of the first with that code; empty where there is none. */
    paramsOf: (wanted: string): Params => all.find((each) => each.code === wanted)?.params ?? {},
    executed,
    issuedBy: issuedBy?.code as string | undefined,
    logged,
    json,
  };
}

export type NodesTrade = NonNullable<GuardNode["trades"]>[number];

/** A sound prepared trade, and how the chain has it once the guard executed it in the next block. */
export async function preparedAndExecuted(given = soundReport(), policy?: Policy) {
  const document: any = copy(await prepared(given, policy));
  const { report, execution } = document;
  const intentHash = hashIntent(execution.tradeIntent.message);
  const own: NodesTrade = { block: EVIDENCE_BLOCK + 1, evidenceHash: report.evidenceHash, intentHash };
  return { document, own };
}
