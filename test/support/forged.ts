/**
 * A report's evidence as a forger bends it, with all that follows from it made right again; and what `assay verify` says
 * of it when it asks a node.
 */
import { expect } from "chai";
import { figuresOf } from "../../attestor/evidence/figures.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { tradePath } from "../../attestor/pools/quote.ts";
import { evaluate, type Report } from "../../attestor/report.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import type { Verification } from "../../attestor/verify/verification.ts";
import { connectJsonRpc, type Rpc, RpcRefused } from "../../chain/jsonRpc.ts";
import { copy } from "../attestor/fixtures.ts";
import type { Service } from "./service.ts";
import { type Verified, verifiedWith } from "./verified.ts";
import type { TestWorld } from "./world.ts";

export type Bend = (evidence: any) => unknown;

/** One raw unit less. */
export const lessByOne = (amount: string): string => (BigInt(amount) - 1n).toString();

/** The evidence of a new report, bent. */
export async function bentEvidence(from: Service, bend: Bend = () => {}, changes: object = {}): Promise<any> {
  const evidence = copy((await from.newJob(deepPoolTrade(from.world, changes))).report.evidence);
  bend(evidence);
  return evidence;
}

/** A trade of the token whose pool of Uniswap V2 is the deep one, unless the changes name another. */
export const deepPoolTrade = (world: TestWorld, changes: object = {}) => ({
  outputAssetKey: world.assetKey("TSLAx"),
  ...changes,
});

/** Computes the figures of bent evidence again. */
export function recompute(evidence: any): void {
  evidence.figures = figuresOf(policyById(evidence.policy.policyId).definition, evidence);
}

/** Computes what bent pools pay, and the figures of that. */
export function requote(evidence: any): void {
  const { quote } = evidence;
  const paid = (amount: string): string => {
    const trade: any = tradePath(quote.pools, quote.path[0], BigInt(amount));
    return trade.amountOut.toString();
  };
  quote.amountOutRaw = paid(quote.amountInRaw);
  quote.referenceAmountOutRaw = paid(quote.referenceAmountInRaw);
  recompute(evidence);
}

/** A report on bent evidence, by the policy that it names. */
export const judged = (evidence: any): Report => evaluate(policyById(evidence.policy.policyId), evidence);

/** What `assay verify` says of a document to who trusts the service's key, by default with a node of the chain. */
export async function askedAgain(
  world: TestWorld,
  document: unknown,
  given: { flags?: string[]; rpc?: Rpc; known?: readonly KnownGuard[] } = {},
): Promise<Verified> {
  const { flags = [], rpc = connectJsonRpc(world.url), known = [] } = given;
  return verifiedWith(["-", "--signer", world.accounts.attestation.address, ...flags], rpc, {
    document,
    known,
  });
}

/** A node of the chain that has forgotten the state of old blocks. */
export function forgetfulNode(world: TestWorld): Rpc {
  const node = connectJsonRpc(world.url);
  return async (method, params) => {
    if (method === "eth_call" && typeof params[1] === "object") throw new RpcRefused("missing trie node");
    return await node(method, params);
  };
}

/** It is not VALID, and a fault with this code says so of a fact whose name is like that. */
export function expectDoubted(found: Verified, code: string, fact: RegExp): void {
  expect(found.code, found.codes.join(", ")).to.be.oneOf([1, 2]);
  const doubted = found.faults
    .filter((fault) => fault.code === code)
    .map(({ params }) => String(params.fact));
  expect(
    doubted.some((name) => fact.test(name)),
    `${code}: ${doubted.join("; ")}`,
  ).to.equal(true);
}

/** The chain says something else of that fact. */
export const expectDifferent = (found: Verified, fact: RegExp): void =>
  expectDoubted(found, "read_again_other", fact);

export const outcomeOf = ({ steps }: Pick<Verification, "steps">, wanted: string) =>
  steps.find(({ name }) => name === wanted)?.outcome;
