/** What a verification says of a report's proofs: each fault is a step of its own, and nothing is thrown. */
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { getBytes, hexlify, id, keccak256 } from "ethers";
import { policyById, policyOf } from "../../../attestor/policies/policy.ts";
import { type Header, readHeader } from "../../../attestor/proofs/header.ts";
import { guardSlots } from "../../../attestor/proofs/layout.ts";
import { proofSteps } from "../../../attestor/proofs/proofSteps.ts";
import { BrokenProof, valueAt } from "../../../attestor/proofs/trie.ts";
import { evaluate, type Report } from "../../../attestor/report.ts";
import { Steps } from "../../../attestor/steps.ts";
import { canonicalHash } from "../../../attestor/values/canonical.ts";
import { type Verification, verifyReport } from "../../../attestor/verify/verify.ts";
import { stepExplained } from "../../../attestor/view/words.ts";
import {
  addressFor,
  copy,
  GUARD,
  judgement,
  NOW,
  named,
  prepared,
  reportOn,
  TRUST,
  token,
} from "../fixtures.ts";
import {
  headerRlp,
  LAYOUT,
  madeState,
  PAIR,
  type ProvedFacts,
  provedFacts,
  STATE_REGISTRY,
} from "./state.ts";

const detailOf = ({ steps }: Pick<Verification, "steps">, wanted: string) =>
  steps.find(({ name }) => name === wanted)?.detail;

let given: ProvedFacts;
let report: Report;
before(async () => {
  given = await provedFacts();
  report = reportOn(judgement({ facts: given.facts, proofs: given.proofs }));
});

/** The report with other facts, every hash right again. */
function bent(bend: (evidence: any) => void, proofs: unknown = given.proofs): any {
  const evidence = copy(report.evidence);
  bend(evidence);
  return { ...copy(evaluate(policyById("STRICT_LIVE"), evidence, undefined, true)), proofs };
}

/** The report with other proofs, which its evidence names. */
function withProofs(bend: (proofs: any) => void): any {
  const proofs = copy(given.proofs);
  bend(proofs);
  return bent((evidence) => {
    evidence.proofs.hash = canonicalHash(proofs);
  }, proofs);
}

describe("a report with proofs", () => {
  it("a report with proofs is VALID, and proved on one condition that is named", async () => {
    const result = verifyReport(await prepared(report), TRUST);
    expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
    expect(detailOf(result, "proved")).to.equal(
      `The state of the guard and of the pool is proved, if block ${given.made.hash} is the chain's (not checked).`,
    );
    expect(named(result, "absent")).to.include("proved");
  });

  it("a report with proofs is proved without a condition for who has the header from the chain", () => {
    const header = readHeader(given.made.header) as Header;
    const result = verifyReport(report, { header });
    expect(named(result, "ok")).to.include.members(["saved header", "proved", "block header"]);
    expect(detailOf(result, "proved")).to.contain("the saved header (checked)");
  });

  it("a report with proofs is INVALID for who has another header of that block, and UNVERIFIABLE with one of another block", () => {
    const other = (number: number) => readHeader(headerRlp(given.made.root, number, NOW - 3)) as Header;
    expect(named(verifyReport(report, { header: other(4_200) }), "wrong")).to.deep.equal(["saved header"]);
    expect(named(verifyReport(report, { header: other(4_199) }), "unknown")).to.include("saved header");
  });

  it("counts what is proved, and the counts are judged again", () => {
    expect(report.facts).to.deep.equal({ total: 15, proved: 5, signed: 1, observed: 3, stated: 6 });
    const boast = { ...copy(report), facts: { total: 15, proved: 15, signed: 0, observed: 0, stated: 0 } };
    expect(named(verifyReport(boast), "wrong")).to.deep.equal(["judgement"]);
  });

  it("a report with proofs is UNVERIFIABLE without its proofs where the policy demands a proof of the quote", async () => {
    const definition = structuredClone(policyById("STRICT_LIVE").definition);
    definition.evidence = { minSignedReferences: 0, maxFailedSources: 0, quoteProof: "required" };
    const policy = policyOf("It demands a proof.", definition);
    const demanded = reportOn(judgement({ policy, facts: given.facts, proofs: given.proofs }));
    const trade = await prepared(demanded, policy);
    const options = { ...TRUST, policies: [policy] };
    expect(verifyReport(trade, options).verdict).to.equal("VALID");
    const { proofs: _, ...bare } = trade.report;
    const result = verifyReport({ ...trade, report: bare }, options);
    expect(result.verdict).to.equal("UNVERIFIABLE");
    expect(named(result, "unknown")).to.deep.equal(["proofs"]);
  });

  it("is UNVERIFIABLE where the proofs that it names were left out, unless the policy says that they are optional", async () => {
    const definition = structuredClone(policyById("STRICT_LIVE").definition);
    definition.evidence.quoteProof = "optional";
    const lenient = policyOf("It can do without proofs.", definition);
    for (const [policy, verdict] of [
      [policyById("STRICT_LIVE"), "UNVERIFIABLE"],
      [lenient, "VALID"],
    ] as const) {
      const whole = reportOn(judgement({ policy, facts: given.facts, proofs: given.proofs }));
      const trade = await prepared(whole, policy);
      const { proofs: _, ...short } = whole;
      const { proved, observed, ...others } = whole.facts;
      // With the counts of a report without proofs, and with those that it had.
      for (const facts of [{ proved: 0, observed: proved + observed, ...others }, whole.facts]) {
        const result = verifyReport(
          { ...trade, report: { ...short, facts } },
          { ...TRUST, policies: [lenient] },
        );
        expect(result.verdict, JSON.stringify(result.steps)).to.equal(verdict);
        expect(detailOf(result, "proofs")).to.match(/^Missing: the evidence names proofs that hash to 0x/);
        expect(result.evidenceHash).to.equal(whole.evidenceHash);
        expect([result.report?.facts.proved, facts.observed]).to.deep.equal([
          0,
          facts === whole.facts ? 3 : 8,
        ]);
      }
    }
  });

  it("shows a reader nothing proved where the proofs are missing, even if the evidence names them", () => {
    const { proofs: _, ...short } = copy(report);
    const kinds = verifyReport(short).facts.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "proved")).to.deep.equal([]);
    expect(kinds.filter((kind) => kind === "observed")).to.have.length(8);
    expect(verifyReport(report).facts.filter(({ kind }) => kind === "proved")).to.have.length(5);
  });

  it("proves a recipient who is not the owner by the guard's list", async () => {
    const paid = await provedFacts({ recipient: true });
    const intent = { ...judgement({ facts: paid.facts }).intent, ...paid.intent };
    const made = reportOn(judgement({ facts: paid.facts, proofs: paid.proofs, intent }));
    expect(named(verifyReport(made), "wrong")).to.deep.equal([]);
    expect(made.facts?.proved).to.equal(6);
    const evidence = made.evidence;
    const forged = evaluate(policyById("STRICT_LIVE"), {
      ...evidence,
      guard: { ...evidence.guard, recipientAllowed: false },
    });
    const result = verifyReport({ ...forged, proofs: paid.proofs });
    expect(detailOf(result, "guard state")).to.contain("whether the recipient is allowed");
  });
});

describe("proofs that do not fit", () => {
  const withHeader = (root: Uint8Array, number: number) =>
    withProofs((proofs) => (proofs.header = headerRlp(root, number, NOW - 2)));
  /** By the step that says so. */
  const faults: Record<string, Record<string, () => any>> = {
    "proof format": {
      "do not parse": () => withProofs((proofs) => (proofs.header = "0xzz")),
      "are null where the evidence names some": () => ({ ...copy(report), proofs: null }),
    },
    "proof hash": {
      "are others than the evidence names": () => ({
        ...copy(report),
        proofs: { ...copy(given.proofs), nodes: given.proofs.nodes.slice(1) },
      }),
    },
    "block header": {
      "have a header that is none": () => withProofs((proofs) => (proofs.header = "0xc0")),
      "have a header of the same state and another number": () => withHeader(given.made.root, 4_201),
    },
    "state proof": {
      "have a header of another state": () => withHeader(getBytes(id("other")), 4_200),
      "lack a node": () => withProofs(({ nodes }) => nodes.splice(1, 1)),
      "have a node twice": () => withProofs(({ nodes }) => nodes.push(nodes[0])),
      "have their nodes in another order": () => withProofs(({ nodes }) => nodes.reverse()),
      "lack a slot": () => withProofs(({ accounts }) => accounts[0].keys.pop()),
      "name a slot twice": () => withProofs(({ accounts: [first] }) => first.keys.push(first.keys.at(-1))),
    },
    proofs: {
      "are there though the evidence names none": () => bent((evidence) => (evidence.proofs = null)),
    },
  };
  const each = Object.entries(faults).flatMap(([step, made]) =>
    Object.entries(made).map(([name, make]) => ({ step, name, make })),
  );
  for (const { step, name, make } of each)
    it(`proofs that do not fit are INVALID, and step "${step}" says so, where they ${name}`, () => {
      const result = verifyReport(make());
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong")).to.include(step);
      expect([...named(result, "ok"), ...named(result, "absent")]).to.not.include("proved");
    });

  it("of another block are INVALID though every hash is right", async () => {
    const other = await madeState({ [GUARD]: { [guardSlots.signerAndPaused]: 1n } });
    const result = verifyReport(withProofs((proofs) => (proofs.header = other.header)));
    expect(named(result, "wrong")).to.deep.equal(["state proof"]);
  });
});

describe("a fact that its own proofs contradict", () => {
  const forged: [string, string, (evidence: any) => void][] = [
    ["a guard that is paused", "guard state", ({ guard }) => (guard.paused = true)],
    ["another signer", "guard state", ({ guard }) => (guard.signer = addressFor("other"))],
    ["a route that is not allowed", "guard state", ({ guard }) => (guard.routeAllowed = false)],
    ["more reserves", "pool state", ({ quote }) => (quote.pools[0].reserve0 += "0")],
    ["another pool", "state proof", ({ quote }) => (quote.pools[0].address = addressFor("other pool"))],
    ["another time of the block", "block header", ({ chain }) => (chain.blockTimestamp -= 1)],
    [
      "another number of the block",
      "block header",
      ({ chain, token }) => {
        chain.blockNumber += 1;
        for (const said of [token.factor, token.announcement, ...token.halts]) said.blockNumber += 1;
      },
    ],
  ];
  for (const [name, step, bend] of forged)
    it(`a fact that its own proofs contradict is INVALID with all hashes recomputed: ${name}`, () => {
      const result = verifyReport(bent(bend));
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong")).to.include(step);
    });

  it("a fact that its own proofs contradict is a word or a tick of a V3 pool that is listed twice, or one that nothing proves", () => {
    const evidence = report.evidence;
    const pool = {
      kind: "uniswap-v3" as const,
      address: PAIR,
      token0: addressFor("a"),
      token1: addressFor("b"),
      fee: 500,
      tickSpacing: 10,
      sqrtPriceX96: "1",
      tick: 1,
      liquidity: "1",
      words: [0, 0].map((word) => ({ word, bitmap: id("bits") })),
      ticks: [10, 10].map((tick) => ({ tick, liquidityNet: "0" })),
    };
    const steps = new Steps();
    proofSteps({ ...evidence, quote: { ...evidence.quote!, pools: [pool] } }, given.proofs, {}, steps);
    const result = steps.conclude();
    expect(named(result, "wrong")).to.have.members(["pool state", "state proof"]);
    expect(detailOf(result, "pool state")).to.contain(`the words of ${PAIR}, the ticks of ${PAIR}`);
    expect(detailOf(result, "state proof")).to.contain("tick 10 of");
  });
});

describe("a multiplier in the token's state", () => {
  const ONE = 10n ** 18n;
  const registry = STATE_REGISTRY;
  const judged = ({ facts, proofs }: ProvedFacts) => reportOn(judgement({ registry, facts, proofs }));
  const kindsOf = (document: unknown) =>
    verifyReport(document, { registry })
      .facts.filter(({ name }) => name === "shares factor" || name === "announced change")
      .map(({ kind, by }) => `${kind} by ${by.split(" ", 1)}`);
  /** A split from 1.25 shares to 12.5, `distance` seconds from the judgement: the block is two seconds older. */
  const split = (distance: number, factor: string) => ({
    facts: token(factor, { value: "12.5", effectiveAt: NOW + distance }),
    words: [(ONE * 5n) / 4n, (ONE * 25n) / 2n, BigInt(NOW + distance)] as const,
  });
  /** By name: a split that lies far ahead, one that came, and a token of which none was ever announced. */
  const told = {
    ahead: split(86_400, "1.25"),
    past: split(-86_400, "12.5"),
    never: { facts: token("1.25"), words: [0n, (ONE * 5n) / 4n, 0n] as const },
  };
  const soundOf = async (name: keyof typeof told) => judged(await provedFacts({ token: told[name] }));

  for (const name of ["ahead", "past", "never"] as const)
    it(`a multiplier in the token's state is proved with its announced change (${name})`, async () => {
      const sound = await soundOf(name);
      const result = verifyReport(await prepared(sound), { ...TRUST, registry });
      expect(result.verdict, JSON.stringify(result.steps)).to.equal("VALID");
      expect(detailOf(result, "proved")).to.contain("of the pool and of the token's multiplier is proved");
      expect(detailOf(result, "stated")).to.not.contain("shares per token");
      expect(kindsOf(sound)).to.deep.equal(["proved by block", "proved by block"]);
      const { proofs: _, ...short } = sound;
      expect(kindsOf(short)).to.deep.equal(["observed by erc-8056", "observed by erc-8056"]);
    });

  const forged: [string, keyof typeof told, string, (evidence: any) => void][] = [
    ["another factor", "ahead", "token state", ({ token }) => (token.factor.value = "1.5")],
    ["the factor of after the change", "ahead", "token state", ({ token }) => (token.factor.value = "12.5")],
    ["the factor of before the change", "past", "token state", ({ token }) => (token.factor.value = "1.25")],
    ["no factor at all", "never", "coherence", ({ token }) => (token.factor = null)],
    ["another announced factor", "ahead", "token state", (e) => (e.token.announcement.change.value = "2")],
    [
      "an announced factor kept back",
      "ahead",
      "token state",
      (e) => (e.token.announcement.change.value = null),
    ],
    ["another time", "ahead", "token state", (e) => (e.token.announcement.change.effectiveAt += 1)],
    ["no change", "ahead", "token state", ({ token }) => (token.announcement.change = null)],
    [
      "a change",
      "never",
      "token state",
      (e) => (e.token.announcement.change = { value: "1.25", effectiveAt: 0 }),
    ],
    ["slots that nothing proves", "ahead", "state proof", (e) => (e.token.layout.effectiveAt = id("other"))],
    [
      "slots that stand for each other",
      "ahead",
      "token state",
      ({ token: { layout } }) =>
        ([layout.uiMultiplier, layout.newUIMultiplier] = Object.values(LAYOUT).slice(0, 2).reverse()),
    ],
    [
      "a slot that is not the registry's, where it decides nothing",
      "past",
      "registry",
      ({ token }) => (token.layout.uiMultiplier = id("other")),
    ],
    ["a provider's factor", "ahead", "coherence", ({ token }) => (token.factor.provider = "backed")],
    [
      "an announcement of no block",
      "ahead",
      "coherence",
      (e) => Object.assign(e.token.announcement, { blockNumber: null, address: null }),
    ],
    ["a layout without proofs", "ahead", "coherence", (evidence) => (evidence.proofs = null)],
  ];
  for (const [what, name, step, bend] of forged)
    it(`a multiplier in the token's state makes a report INVALID that says otherwise: ${what}`, async () => {
      const sound = await soundOf(name);
      const evidence = copy(sound.evidence);
      bend(evidence);
      const report = { ...evaluate(policyById("STRICT_LIVE"), evidence), proofs: sound.proofs };
      const result = verifyReport(report, { registry });
      expect(result.verdict).to.equal("INVALID");
      expect(named(result, "wrong"), JSON.stringify(result.steps)).to.include(step);
      expect(stepExplained(step)).to.not.equal("");
    });

  it("a multiplier in the token's state is judged by the block's time where the change comes between block and judgement", async () => {
    const wrongOf = async (distance: number, factor: string) => {
      const report = judged(await provedFacts({ token: split(distance, factor) }));
      return named(verifyReport(report, { registry }), "wrong");
    };
    for (const distance of [-1, 0]) {
      expect(await wrongOf(distance, "1.25")).to.deep.equal([]);
      expect(await wrongOf(distance, "12.5")).to.deep.equal(["token state"]);
    }
    expect(await wrongOf(-2, "12.5")).to.deep.equal([]);
    expect(await wrongOf(-2, "1.25")).to.deep.equal(["token state"]);
  });
});

describe("the walk of a trie", () => {
  it("refuses an extension that leads nowhere: a chain of them would be walked for every key", () => {
    const leaf = hexlify(RLP.encode([Uint8Array.of(0x20), Uint8Array.of(1)]));
    const chain = [leaf];
    for (let length = 0; length < 50; length += 1)
      chain.unshift(hexlify(RLP.encode([Uint8Array.of(0), getBytes(keccak256(chain[0]!))])));
    let asked = 0;
    const nodes = {
      get(hash: string) {
        asked += 1;
        const found = chain.find((node) => keccak256(node) === hash);
        return found === undefined ? undefined : getBytes(found);
      },
    };
    expect(() => valueAt(keccak256(chain[0]!), GUARD, nodes)).to.throw(BrokenProof, "leads nowhere");
    expect(asked).to.equal(1);
    const result = verifyReport(
      withProofs((proofs) => {
        proofs.header = headerRlp(getBytes(keccak256(chain[0]!)), 4_200, NOW - 2);
        proofs.nodes = chain;
      }),
    );
    expect(result.verdict).to.equal("INVALID");
    expect(detailOf(result, "state proof")).to.contain("an extension leads nowhere");
  });

  it("finds what the library's own verification finds", async () => {
    const { made } = given;
    const nodes = new Map(made.nodes.map((node) => [keccak256(node), getBytes(node)]));
    const path = given.proofs.nodes.map((node) => getBytes(node));
    const options = { root: made.root, useKeyHashing: true };
    for (const address of [GUARD, PAIR]) {
      const value = valueAt(hexlify(made.root), address, nodes) as Uint8Array;
      const library = (await verifyMerkleProof(getBytes(address), path, options)) as Uint8Array;
      expect(hexlify(value)).to.equal(hexlify(library));
    }
  });
});
