/** The published vectors: this program still answers as it did, and they hold what their page says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes } from "ethers";
import { POLICY_VERSIONS, type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { CHECK_NAMES } from "../../attestor/policies/policyDefinition.ts";
import { evaluate } from "../../attestor/report.ts";
import type { Outcome } from "../../attestor/steps.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { verifyDocument } from "../../attestor/verify/verify.ts";
import { boundaryChecks } from "../../workshop/vectors/boundaries.ts";
import { type DocumentVector, trustOf } from "../../workshop/vectors/candidate.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidences.ts";

const FOLDER = join(import.meta.dirname, "../../docs/vectors");
const read = (file: string) => JSON.parse(readFileSync(join(FOLDER, file), "utf8"));

const policies: readonly Policy[] = parsePolicies(read("policies.json"));
const evidence: readonly EvidenceVector[] = read("evidence.json");
const documents: readonly DocumentVector[] = [...read("documents.json"), ...read("proved.json")];

describe("the published vectors", function () {
  this.timeout(60_000);

  it("begin with every policy that was ever given out", () => {
    const given = POLICY_VERSIONS.map(({ definitionHash }) => definitionHash);
    expect(policies.slice(0, given.length).map(({ definitionHash }) => definitionHash)).to.deep.equal(given);
  });

  it("of evidence are judged to the same findings, decision and hash", () => {
    for (const vector of evidence) {
      const policy = policies.find(
        ({ definitionHash }) => definitionHash === vector.evidence.policy.definitionHash,
      )!;
      const { findings, decision, evidenceHash } = evaluate(policy, vector.evidence);
      expect({ findings, decision, evidenceHash }, vector.name).to.deep.equal({
        findings: vector.findings,
        decision: vector.decision,
        evidenceHash: vector.evidenceHash,
      });
      expect(canonicalHash(vector.evidence)).to.equal(vector.evidenceHash);
    }
  });

  it("of evidence are at least three hundred, some of them allowed", () => {
    expect(evidence.length).to.be.at.least(300);
    for (const decision of ["ALLOW", "DENY"])
      expect(evidence.filter((one) => one.decision === decision).length, decision).to.be.at.least(10);
  });

  it("turn on each check's boundary ten times on each side", () => {
    const bent = policies.flatMap(({ definition }) => boundaryChecks(definition));
    for (const check of CHECK_NAMES.filter((name) => bent.includes(name)))
      for (const side of ["pass", "fail"]) {
        const own = evidence.filter(({ name }) => name.startsWith(`${check} ${side} `));
        expect(own.length, `${check} ${side}`).to.be.at.least(10);
        for (const { name, findings } of own)
          expect(findings.find((finding) => finding.check === check)?.outcome, name).to.equal(side);
      }
    expect(new Set(bent)).to.deep.equal(new Set(CHECK_NAMES));
  });

  it("of documents get the same verdict for the same reasons", () => {
    expect(documents.length).to.be.at.least(150);
    for (const { name, document, trust, verdict, steps } of documents) {
      const seen = verifyDocument(document, trustOf(trust));
      expect(seen.verdict, name).to.equal(verdict);
      for (const [outcome, names] of Object.entries(steps))
        expect(
          seen.steps.filter((step) => step.outcome === outcome).map((step) => step.name),
          `${name}, ${outcome}`,
        ).to.deep.equal(names);
    }
  });

  /** Those with that step and outcome, parsed; what is no JSON is none of them. */
  const having = (step: string, outcome: Outcome) =>
    documents
      .filter(({ steps }) => steps[outcome].includes(step))
      .map(({ document, trust }) => {
        const parsed = JSON.parse(document);
        return { parsed, report: parsed.report ?? parsed, trust };
      });
  const OUTCOMES = ["ok", "wrong"] as const;

  it("hold quotes from V2 and V3 pools, both ways, over one hop and two, of buys and sells", () => {
    for (const outcome of OUTCOMES) {
      const kinds = new Set(
        having("quote", outcome).map(({ report: { evidence } }) => {
          const { pools, path } = evidence.quote;
          const way = BigInt(path[0]) < BigInt(path[1]) ? "down" : "up";
          return `${evidence.trade.side} ${pools[0].kind} ${path.length - 1} ${way}`;
        }),
      );
      for (const side of ["buy", "sell"])
        for (const kind of ["uniswap-v2", "uniswap-v3"])
          for (const hops of [1, 2])
            for (const way of ["down", "up"])
              expect([...kinds], outcome).to.include(`${side} ${kind} ${hops} ${way}`);
    }
  });

  it("hold quotes that cross one tick and many, both ways, and some with a tick changed", () => {
    const crossed = (outcome: Outcome, isDown: boolean) =>
      having("quote", outcome).flatMap(({ report: { evidence } }) =>
        evidence.quote.pools
          .filter((pool: any, hop: number) => (pool.token0 === evidence.quote.path[hop]) === isDown)
          .map(({ ticks = [] }: any) => ticks.length),
      );
    for (const isDown of [true, false]) {
      for (const count of [1, 5])
        expect(Math.max(...crossed("ok", isDown)), `${isDown}`).to.be.at.least(count);
      expect(crossed("ok", isDown).filter((count) => count > 0).length).to.be.at.least(6);
      expect(crossed("wrong", isDown).filter((count) => count > 0).length).to.be.at.least(3);
    }
  });

  it("hold prepared sells whose quote follows from pools", () => {
    const sells = having("quote", "ok").filter(
      ({ parsed, report }) => parsed.execution && report.evidence.trade.side === "sell",
    );
    expect(sells.length).to.be.at.least(2);
  });

  it("hold proofs of prices that hold, are broken, are not known, or say something else, behind a right hash", () => {
    expect(having("price proofs", "ok").length).to.be.at.least(10);
    expect(having("price proofs", "wrong").length).to.be.at.least(15);
    expect(having("price proofs", "absent").length).to.be.at.least(2);
    expect(having("signed prices", "wrong").length).to.be.at.least(5);
    // Pyth's own guardians and the local world's, on a real chain and the local one.
    expect(
      new Set(having("price proofs", "ok").map(({ report }) => report.evidence.chain.chainId)),
    ).to.deep.equal(new Set([31_337, 56]));
  });

  it("hold sessions on both sides of the calendar's boundaries, possible and impossible", () => {
    for (const outcome of OUTCOMES) {
      const held = having("facts", outcome).filter(
        ({ report }) => report.evidence.session?.source === "nyse-calendar",
      );
      expect(held.length, outcome).to.be.at.least(20);
      expect(new Set(held.map(({ report }) => report.evidence.session.state)).size).to.be.at.least(4);
    }
  });

  it("hold jobs with executions that fit the report and that contradict it, one of them a real one", () => {
    for (const outcome of OUTCOMES) {
      const jobs = having("envelope", outcome).filter(({ parsed }) => parsed.executions?.length > 0);
      expect(jobs.length, outcome).to.be.at.least(3);
    }
    const real = having("envelope", "ok").filter(({ parsed }) => parsed.executions?.[0]?.transactionHash);
    expect(real.length).to.be.at.least(1);
  });

  it("hold state proofs through tries with branches, extensions and leaves", () => {
    const kinds = having("block header", "ok").flatMap(({ report }) =>
      (report.proofs?.nodes ?? []).map((node: string) => {
        const items = RLP.decode(getBytes(node)) as Uint8Array[];
        return items.length === 17 ? "branch" : items[0]![0]! >> 4 < 2 ? "extension" : "leaf";
      }),
    );
    for (const kind of ["branch", "extension", "leaf"])
      expect(kinds.filter((each) => each === kind).length, kind).to.be.at.least(2);
    expect(having("state proof", "wrong").length).to.be.at.least(5);
  });

  it("hold executions with each call and without, the route's call in every form, and parts that nobody reads", () => {
    const executions = having("calls", "ok").map(({ parsed }) => parsed.execution);
    for (const name of ["guardCall", "relayedCall", "approval"]) {
      expect(executions.filter((execution) => execution[name]).length, name).to.be.at.least(3);
      expect(executions.filter((execution) => !execution[name]).length, name).to.be.at.least(2);
    }
    expect(having("calls", "wrong").length).to.be.at.least(8);
    expect(having("execution", "unknown").length).to.be.at.least(1);
    for (const outcome of OUTCOMES)
      expect(
        new Set(having("route call", outcome).map(({ report }) => report.evidence.quote.selector)),
        outcome,
      ).to.include.members(["0x38ed1739", "0x414bf389", "0x04e45aaf"]);
    expect(having("route call", "absent").length).to.be.at.least(3);
  });

  it("hold proofs of the decision log: of the report, of another leaf, before its key, another one and none", () => {
    const asked = having("log", "ok");
    expect(asked.some(({ parsed }) => parsed.execution)).to.equal(true);
    expect(asked.some(({ parsed }) => !parsed.execution)).to.equal(true);
    const wrong = having("log", "wrong");
    expect(wrong.filter(({ trust }) => trust.logKeys !== undefined).length).to.be.at.least(8);
    expect(wrong.filter(({ trust }) => trust.logKeys === undefined).length).to.be.at.least(5);
    expect(having("log", "absent").length).to.be.at.least(2);
    expect(having("log", "unknown").length).to.be.at.least(2);
  });
});
