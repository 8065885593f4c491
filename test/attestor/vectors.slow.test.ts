/** The full set of vectors: docs/vectors is a part of it and states its hash, and it holds what the page there says. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes } from "ethers";
import { type Policy, parsePolicies } from "../../attestor/policies/policy.ts";
import { CHECK_NAMES, LIMIT_NAMES } from "../../attestor/policies/policyDefinition.ts";
import type { Outcome } from "../../attestor/steps.ts";
import { boundaryChecks } from "../../workshop/vectors/boundaries.ts";
import type { DocumentVector } from "../../workshop/vectors/candidate.ts";
import type { EvidenceVector } from "../../workshop/vectors/evidences.ts";
import { smallPart, textOf, type VectorFiles } from "../../workshop/vectors/files.ts";
import { documentsIn, fullVectors, SMALL } from "../support/vectors.ts";

describe("the full set of vectors", function () {
  this.timeout(300_000);

  let folder: string;
  let policies: readonly Policy[];
  let evidence: readonly EvidenceVector[];
  let documents: readonly DocumentVector[];
  before(async () => {
    folder = await fullVectors();
    policies = parsePolicies(read("policies.json"));
    evidence = read("evidence.json");
    documents = documentsIn(folder);
  });
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

  it("has the hash that docs/vectors states, by the command given there", () => {
    const page = readFileSync(join(SMALL, "README.md"), "utf8");
    const [, command] = /^(cat .*)$/m.exec(page)!;
    const [, stated] = /^`([0-9a-f]{64})`\.$/m.exec(page)!;
    const printed = execFileSync("sh", ["-c", command!.replace("/tmp/vectors/", "")], { cwd: folder });
    expect(printed.toString().split(" ")[0]).to.equal(stated);
    expect(page).to.include(`${evidence.length} pieces of evidence and ${documents.length} documents`);
  });

  it("has the small part of docs/vectors, which is some 430 kB", () => {
    const files = readdirSync(folder).sort();
    const full = Object.fromEntries(files.map((file) => [file, read(file)])) as unknown as VectorFiles;
    let length = 0;
    for (const [file, vectors] of Object.entries(smallPart(full))) {
      const text = readFileSync(join(SMALL, file), "utf8");
      // Not by chai: it would print them.
      expect(text === textOf(vectors), `${file} is what \`npm run vectors\` writes`).to.equal(true);
      length += text.length;
    }
    expect(length).to.be.at.most(440_000);
  });

  it("has at least 150 documents", () => {
    expect(documents.length).to.be.at.least(150);
  });

  it("has at least three hundred pieces of evidence, some of them allowed", () => {
    expect(evidence.length).to.be.at.least(300);
    for (const decision of ["ALLOW", "DENY"])
      expect(evidence.filter((one) => one.decision === decision).length, decision).to.be.at.least(10);
  });

  it("turns on each check's boundary ten times on each side", () => {
    const bent = new Set(policies.flatMap(({ definition }) => boundaryChecks(definition)));
    for (const check of bent)
      for (const side of ["pass", "fail"]) {
        const own = evidence.filter(({ name }) => name.startsWith(`${check} ${side} `));
        expect(own.length, `${check} ${side}`).to.be.at.least(10);
        for (const { name, findings } of own)
          expect(findings.find((finding) => finding.check === check)?.outcome, name).to.equal(side);
      }
    expect(bent).to.deep.equal(new Set([...CHECK_NAMES, ...LIMIT_NAMES]));
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

  it("holds quotes from V2 and V3 pools, both ways, over one hop and two, of buys and sells", () => {
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

  it("holds quotes that cross one tick and many, both ways, and some with a tick changed", () => {
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

  it("holds prepared sells whose quote follows from pools", () => {
    const sells = having("quote", "ok").filter(
      ({ parsed, report }) => parsed.execution && report.evidence.trade.side === "sell",
    );
    expect(sells.length).to.be.at.least(2);
  });

  it("holds proofs of prices that hold, are broken, are not known, or say something else, behind a right hash", () => {
    expect(having("price proofs", "ok").length).to.be.at.least(10);
    expect(having("price proofs", "wrong").length).to.be.at.least(15);
    expect(having("price proofs", "absent").length).to.be.at.least(2);
    expect(having("signed prices", "wrong").length).to.be.at.least(5);
    // Pyth's own guardians and the local world's, on a real chain and the local one.
    expect(
      new Set(having("price proofs", "ok").map(({ report }) => report.evidence.chain.chainId)),
    ).to.deep.equal(new Set([31_337, 56]));
  });

  it("holds sessions on both sides of the calendar's boundaries, possible and impossible", () => {
    for (const outcome of OUTCOMES) {
      const held = having("facts", outcome).filter(
        ({ report }) => report.evidence.session?.source === "nyse-calendar",
      );
      expect(held.length, outcome).to.be.at.least(20);
      expect(new Set(held.map(({ report }) => report.evidence.session.state)).size).to.be.at.least(4);
    }
  });

  it("holds jobs with executions that fit the report and that contradict it, one of them a real one", () => {
    for (const outcome of OUTCOMES) {
      const jobs = having("envelope", outcome).filter(({ parsed }) => parsed.executions?.length > 0);
      expect(jobs.length, outcome).to.be.at.least(3);
    }
    const real = having("envelope", "ok").filter(({ parsed }) => parsed.executions?.[0]?.transactionHash);
    expect(real.length).to.be.at.least(1);
  });

  it("holds state proofs through tries with branches, extensions and leaves", () => {
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

  it("holds executions with each call and without, the route's call in every form, and parts that nobody reads", () => {
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

  it("holds proofs of the decision log: of the report, of another leaf, before its key, another one and none", () => {
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
