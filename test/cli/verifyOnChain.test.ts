import { expect } from "chai";
import { id, keccak256 } from "ethers";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { canonicalHash, canonicalJson } from "../../attestor/values/canonical.ts";
import type { KnownGuard } from "../../attestor/verify/issuer.ts";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { type Rpc, RpcRefused, RpcUnreachable } from "../../chain/jsonRpc.ts";
import {
  addressFor,
  CHAIN_ID,
  DOMAIN,
  GUARD,
  NOW,
  named,
  prepared,
  REGISTRY,
  SIGNER,
  TRUST,
} from "../attestor/fixtures.ts";
import { headerRlp } from "../attestor/proofs/state.ts";
import { EVIDENCE_BLOCK, type GuardNode, guardNode, transactionOf } from "../support/guardNode.ts";
import { type NodesTrade, preparedAndExecuted, verifiedWith } from "../support/verified.ts";

const copy = <T>(value: T): any => JSON.parse(JSON.stringify(value));
const NAMED = ["--guard", `${CHAIN_ID}:${GUARD}`];
const SIGNED = ["--signer", SIGNER.address];
const NEXT = addressFor("the next key");
/** The fixtures' key until some block, and another one from there on. */
const rotatedAt = (block: number) => [
  { from: 1, address: SIGNER.address },
  { from: block, address: NEXT },
];

/** The guard as a record has it, by default with no key. */
const recorded = (more: Partial<KnownGuard> = {}): KnownGuard => ({
  chainId: CHAIN_ID,
  address: GUARD,
  record: "deployments/31337.json",
  keys: [],
  ...more,
});
const unreachable: Rpc = () => Promise.reject(new RpcUnreachable("ECONNREFUSED"));

describe("assay verify --rpc", () => {
  const verified = (document: unknown, rpc: Rpc, flags: string[] = NAMED, known: KnownGuard[] = []) =>
    verifiedWith(["-", ...flags], rpc, { document, known });

  let document: any;
  let own: NodesTrade;
  before(async () => {
    ({ document, own } = await preparedAndExecuted());
  });

  describe("of a trade by the guard's present key", () => {
    it("assay verify --rpc of a trade by the guard's present key is VALID for who names the guard or the key, and says so in its last line", async () => {
      for (const flags of [NAMED, SIGNED]) {
        const { code, last, text } = await verified(document, guardNode(), flags);
        expect(code, text).to.equal(0);
        expect(last).to.match(
          /^VALID: Issued by 0x\w{40}, the key .*, which the guard names today, for the guard /,
        );
      }
    });

    it("is UNVERIFIABLE for who names nothing: the node speaks for the chain, and nobody for the guard", async () => {
      const { code, last } = await verified(document, guardNode({ trades: [own] }), []);
      expect(code).to.equal(2);
      expect(last).to.contain("--guard <chainId>:<address>");
    });

    it("asks for chain, block, code, key and trade", async () => {
      const { text } = await verified(document, guardNode({ trades: [own] }));
      expect(text).to.match(/^ok +chain +The RPC serves chain 31337\.$/m);
      expect(text).to.match(/^ok +block +Block 4200 has the hash and the time that the evidence states\.$/m);
      expect(text).to.match(/^absent +code +There is code at the guard's address, and no record here/m);
      expect(text).to.match(/^ok +guard +The guard's signer at block 4200 was 0x/m);
      expect(text).to.match(
        /^ok +trade +Executed in 0x[0-9a-f]{64}, block 4201: 1000000000 spent, 3980000000000000000 received/m,
      );
    });

    it("assay verify --rpc of a trade by the guard's present key is UNVERIFIABLE for a block of another hash or time, and INVALID where the reader saved its header", async () => {
      for (const other of [{ hash: id("another block") }, { timestamp: NOW - 3 }]) {
        const { code, text } = await verified(document, guardNode({ blocks: { [EVIDENCE_BLOCK]: other } }));
        expect(code).to.equal(2);
        expect(text).to.match(/^unknown +block/m);
      }
      const files = { "h.txt": headerRlp(new Uint8Array(32), EVIDENCE_BLOCK, NOW - 2) };
      const saved = await verifiedWith(["-", ...NAMED, "--header", "h.txt"], guardNode(), {
        document,
        files,
      });
      expect([saved.code, /^WRONG +saved header/m.test(saved.text)]).to.deep.equal([1, true]);
    });

    it("assay verify --rpc of a trade by the guard's present key is UNVERIFIABLE where the node does not have the block", async () => {
      for (const node of [{ head: 4_199 }, { blocks: { [EVIDENCE_BLOCK]: null } }])
        expect((await verified(document, guardNode(node))).code).to.equal(2);
    });

    it("compares the guard's code with the record, where there is one", async () => {
      const keys = [{ address: SIGNER.address, endedAt: null }];
      const known = recorded({ keys, codeHash: keccak256("0x6001") });
      const same = await verified(document, guardNode(), [], [known]);
      expect(same.text).to.match(/^ok +code +The guard's code is that of deployments\/31337\.json\.$/m);
      expect(same.code).to.equal(0);
      const other = await verified(document, guardNode({ code: "0x6002" }), [], [known]);
      expect([other.code, /^unknown +code/m.test(other.text)]).to.deep.equal([2, true]);
    });
  });

  describe("of a trade by a key that was replaced", () => {
    const keys = rotatedAt(5_000);

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE without the guard's event: the key could back-date", async () => {
      for (const flags of [NAMED, SIGNED]) {
        const { code, last } = await verified(document, guardNode({ keys }), flags);
        expect(code).to.equal(2);
        expect(last).to.contain("could back-date").and.contain("no event of this very trade");
      }
    });

    it("assay verify --rpc of a trade by a key that was replaced is VALID with the guard's event of this very trade", async () => {
      const { code, last } = await verified(document, guardNode({ keys, trades: [own] }));
      expect(code, last).to.equal(0);
      expect(last).to.contain("the guard executed this very trade");
    });

    it("assay verify --rpc of a trade by a key that was replaced is not VALID with the event of another trade of the job", async () => {
      for (const trade of [
        { ...own, intentHash: id("another intent") },
        { ...own, evidenceHash: id("version 3"), intentHash: id("another intent"), version: 3 },
        { ...own, jobId: "job_other" },
        { ...own, address: addressFor("another guard") },
        { ...own, block: EVIDENCE_BLOCK - 1 },
      ])
        expect((await verified(document, guardNode({ keys, trades: [trade] }))).code).to.not.equal(0);
    });

    it("assay verify --rpc of a trade by a key that was replaced is read from the guard's events where the node has no state of that time", async () => {
      for (const node of [{}, { span: 700 }, { span: 60 }]) {
        const pruned = { ...node, keys, stateFrom: 8_000, trades: [own] };
        const { code, text } = await verified(document, guardNode(pruned));
        expect(code, text).to.equal(0);
        expect(text).to.match(/^ok +guard +The guard's signer at block 4200 was .* It is 0x\w{40} now\.$/m);
      }
    });

    it("assay verify --rpc of a trade by a key that was replaced is read from the events since the deployment where that is nearer", async () => {
      const twice = [
        { from: 4_100, address: addressFor("the first key") },
        { from: 4_150, address: SIGNER.address },
        { from: 300_000, address: NEXT },
      ];
      const node = { keys: twice, stateFrom: 890_000, span: 60, head: 900_000, trades: [own] };
      const near = await verified(document, guardNode(node), NAMED, [recorded({ deployedAtBlock: 4_100 })]);
      expect(near.text).to.match(/^ok +guard +The guard's signer at block 4200 was /m);
      const far = await verified(document, guardNode(node));
      expect(far.text).to.contain("the search was given up at block");
      expect(far.code).to.equal(2);
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE, with the reason, where the node refuses old state and events", async () => {
      const { code, text, last } = await verified(document, guardNode({ keys, stateFrom: 8_000, span: 0 }));
      expect(code).to.equal(2);
      expect(text).to.contain("missing trie node").and.contain("block range is too large");
      expect(last).to.contain("could not be settled");
      const present = await verified(document, guardNode({ stateFrom: 8_000, span: 0 }));
      expect(present.code).to.equal(2);
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE where the node says that the guard never named it, or not at that block", async () => {
      const never = [{ from: 1, address: NEXT }];
      const later = [
        { from: 1, address: NEXT },
        { from: 4_201, address: SIGNER.address },
      ];
      const younger = [{ from: 4_500, address: SIGNER.address }];
      for (const history of [never, later, younger])
        for (const stateFrom of [0, 8_000]) {
          const { code, text } = await verified(document, guardNode({ keys: history, stateFrom }));
          expect(code, text).to.equal(2);
          expect(text).to.match(/^unknown +guard/m);
        }
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE where the record knows of the rotation and the node cannot be reached", async () => {
      const ended = [
        { address: SIGNER.address, endedAt: NOW },
        { address: NEXT, endedAt: null },
      ];
      const known = recorded({ keys: ended });
      expect((await verified(document, unreachable, NAMED, [known])).code).to.equal(2);
      expect((await verified(document, guardNode({ keys, trades: [own] }), NAMED, [known])).code).to.equal(0);
    });
  });

  it("holds the trade intent of the document against the event's", async () => {
    const right = await verified(document, guardNode({ trades: [own] }));
    expect(right.text).to.contain("this evidence and this trade intent");
    const wrong = await verified(document, guardNode({ trades: [{ ...own, intentHash: id("other") }] }));
    expect([wrong.code, wrong.verdict]).to.deep.equal([2, "UNVERIFIABLE"]);
  });

  it("is UNVERIFIABLE where the event is not of the trade that was certified: owner, amounts, block or time", async () => {
    const due = BigInt(document.report.evidence.figures.minAmountOutRaw);
    const exact = await verified(document, guardNode({ trades: [{ ...own, received: due }] }));
    expect(exact.code, exact.text).to.equal(0);
    const late = { ...own, block: 7_000 };
    const before = { trades: [own], blocks: { 4201: { timestamp: NOW - 3 } } };
    for (const [node, fault] of [
      [{ trades: [{ ...own, owner: addressFor("another owner") }] }, /another owner, 0x/],
      [{ trades: [{ ...own, spent: 999_999_999n }] }, /1000000000 are to be spent, no more or less/],
      [{ trades: [{ ...own, spent: 1_000_000_001n }] }, /1000000000 are to be spent, no more or less/],
      [{ trades: [{ ...own, received: due - 1n }] }, new RegExp(`at least ${due} are due`)],
      [{ trades: [{ ...own, block: EVIDENCE_BLOCK }] }, /it was judged later, at block 4200/],
      [{ trades: [late] }, /its certificate or deadline was over/],
      [before, /it was not certified yet/],
    ] as const) {
      const { code, text } = await verified(document, guardNode(node as GuardNode));
      expect([code, /^unknown +trade .*This trade cannot be so: /m.test(text)], text).to.deep.equal([
        2,
        true,
      ]);
      expect(text).to.match(fault);
    }
    const tall = guardNode({ trades: [{ ...own, block: 4_300 }] });
    const short: Rpc = async (method, params) =>
      method === "eth_blockNumber" ? "0x10cb" : await tall(method, params);
    const beyond = await verifiedWith(["--tx", transactionOf(0), "--service", "http://s", ...NAMED], short, {
      service: async () => ({ kind: "found", text: JSON.stringify(document) }),
    });
    expect([beyond.code, beyond.text.includes("the chain's newest block is 4299")]).to.deep.equal([2, true]);
  });

  it("is UNVERIFIABLE with --strict where something was skipped that could be checked, with a node and without", async () => {
    const files = { "r.json": JSON.stringify(REGISTRY) };
    const registry = ["--registry", "r.json"];
    const strictly = async (flags: string[], rpc = guardNode({ trades: [own] })) =>
      (await verifiedWith(["-", ...NAMED, "--strict", ...flags], rpc, { document, files })).text;
    expect(await strictly([])).to.match(/^unknown +registry +Registry \S+ is not at hand/m);
    const forgetful = await strictly(registry);
    expect(forgetful).to.match(/^unknown +read again +.*gone: missing trie node/m);
    expect(forgetful)
      .to.match(/^absent +stated/m)
      .and.not.match(/^absent +(registry|read again)/m);
    const sampled = copy(document.report.evidence);
    sampled.liquidity.samplesRoot = id("samples");
    for (const [report, skipped] of [
      [document.report, ["read again"]],
      [evaluate(policyById("STRICT_LIVE"), sampled), ["samples", "read again"]],
    ] as const) {
      const options = { ...TRUST, strict: true, registry: REGISTRY };
      expect(named(verifyReport(await prepared(report), options), "unknown")).to.deep.equal(skipped);
      expect(named(verifyReport(await prepared(report), { ...options, strict: false }), "unknown")).to.be
        .empty;
    }
  });

  it("is UNVERIFIABLE by a node that shows an event without its receipt, or answers other than asked when read again", async () => {
    const [whole, bare] = [guardNode({ trades: [own] }), guardNode()];
    const eventOnly: Rpc = (method, params) => (method === "eth_getLogs" ? whole : bare)(method, params);
    const shown = await verified(document, eventOnly);
    expect([shown.code, /^unknown +rpc +The RPC contradicts itself: /m.test(shown.text)]).to.deep.equal([
      2,
      true,
    ]);
    const html: Rpc = async (method, params: any[]) => {
      if (method === "eth_call" && typeof params[1] === "object")
        throw new RpcUnreachable("it answers something other than JSON-RPC");
      return await whole(method, params);
    };
    const again = await verified(document, html);
    expect([again.code, /^unknown +read again .*other than JSON-RPC/m.test(again.text)]).to.deep.equal([
      2,
      true,
    ]);
  });

  it("says that a trade was not executed, which is no fault", async () => {
    const others = [
      { ...own, jobId: "job_other" },
      { ...own, address: addressFor("another guard") },
      { ...own, block: EVIDENCE_BLOCK - 1 },
    ];
    for (const trades of [[], others]) {
      const { code, text } = await verified(document, guardNode({ trades }));
      expect(code).to.equal(0);
      expect(text).to.match(/^absent +trade +The guard shows no trade of this job since block 4200/m);
    }
  });

  it("finds out a report that was changed and hashed again, by the version in the transaction", async () => {
    const evidence = copy(document.report.evidence);
    evidence.liquidity.sampleN = 41;
    const forged = copy(evaluate(policyById("STRICT_LIVE"), evidence));
    expect(forged.evidenceHash).to.equal(canonicalHash(evidence));
    expect(canonicalJson(evidence)).to.contain('"sampleN":41');
    expect((await verified(forged, guardNode())).verdict).to.equal("UNVERIFIABLE");
    for (const relayed of [false, true]) {
      const { code, text } = await verified(forged, guardNode({ trades: [{ ...own, version: 2, relayed }] }));
      expect(code).to.equal(2);
      expect(text).to.match(/^unknown +trade .*not what the trade was certified on/m);
    }
  });

  it("assay verify --rpc does not blame a report for the trade of another version of it", async () => {
    const trades = [{ ...own, evidenceHash: id("version 3"), intentHash: id("intent 3"), version: 3 }];
    const { code, text } = await verified(document, guardNode({ trades }));
    expect(code).to.equal(0);
    expect(text).to.match(/^absent +trade .*That was version 3 of the report; this is version 2\./m);
    const both = await verified(document, guardNode({ trades: [...trades, own] }));
    expect(both.text).to.match(/^ok +trade/m);
  });

  it("assay verify --rpc is UNVERIFIABLE where the transaction does not say which version was executed", async () => {
    const unknown = { ...own, evidenceHash: id("who knows"), intentHash: id("who knows") };
    for (const trade of [
      unknown,
      // Data for another contract say what their sender likes, whatever they look like.
      { ...unknown, version: 2, through: addressFor("another contract") },
      { ...unknown, version: 3, through: addressFor("another contract") },
      { ...unknown, version: 2, through: null },
    ]) {
      const told = await verified(document, guardNode({ trades: [trade] }));
      expect(told).to.include({ code: 2, verdict: "UNVERIFIABLE" });
    }
  });

  it("assay verify --rpc is UNVERIFIABLE for a report that nobody signed, also where the guard's event names it", async () => {
    const { code, last } = await verified(document.report, guardNode({ trades: [own] }));
    expect(code).to.equal(2);
    expect(last).to.match(/^UNVERIFIABLE: It is consistent, but nobody signed it/);
  });

  it("assay verify --rpc does not take a guard of a forger's for one that is trusted", async () => {
    const key = id("a forger's own key");
    const forger = signerFromPrivateKey(key, DOMAIN).address;
    const evidence = copy(document.report.evidence);
    Object.assign(evidence.guard, { signer: forger, attestor: forger });
    const forged = copy(await prepared(evaluate(policyById("STRICT_LIVE"), evidence), undefined, key));
    const node = guardNode({ keys: [{ from: 1, address: forger }] });
    // A node that agrees with the forger about a guard that nobody named.
    expect((await verified(forged, node, [])).code).to.equal(2);
    for (const trusted of [["--guard", `${CHAIN_ID}:${addressFor("the true guard")}`], SIGNED])
      expect((await verified(forged, node, trusted)).code).to.equal(1);
    expect((await verified(forged, guardNode())).code).to.equal(2);
  });

  it("assay verify --rpc is UNVERIFIABLE on another chain, or where there is no guard", async () => {
    const other = await verified(document, guardNode({ chainId: 56, trades: [own] }));
    expect(other).to.include({ code: 2, verdict: "UNVERIFIABLE" });
    expect(other.text).to.contain("serves chain 56, the report is about chain 31337");
    expect(other.text).to.not.contain("Executed in");
    expect(await verified(document, guardNode({ guardMissing: true }))).to.include({ code: 2 });
  });

  it("searches in spans where the node limits them, and gives up after a bounded number", async () => {
    for (const span of [2_000, 700, 60]) {
      const late = { ...own, block: 6_000 };
      const { code, text } = await verified(document, guardNode({ span, trades: [late] }));
      expect([code, text.includes("block 6000")], String(span)).to.deep.equal([0, true]);
    }
    const asked: string[] = [];
    const far = await verified(document, guardNode({ span: 2_000, head: 9_000_000 }, asked));
    expect(far.text).to.contain("no trade of this job from block 4200 to 204199");
    expect(asked.length).to.be.lessThan(120);
    expect(await verified(document, guardNode({ span: 10 }))).to.include({ code: 2 });
  });

  it("does not ask the chain about what is no report", async () => {
    const asked: string[] = [];
    expect((await verified({ a: 1 }, guardNode({}, asked))).code).to.equal(2);
    expect(asked).to.deep.equal([]);
  });

  it("assay verify --rpc stays INVALID, and tells why, when the node fails on top", async () => {
    expect(await verified(document, unreachable)).to.include({ code: 2, verdict: "UNVERIFIABLE" });
    const bent = { ...document, report: { ...document.report, decision: "DENY" } };
    expect(await verified(bent, unreachable)).to.include({ code: 1, verdict: "INVALID" });
  });

  it("assay verify --rpc is UNVERIFIABLE for a node that answers nonsense, or refuses a method", async () => {
    const methods = ["eth_chainId", "eth_blockNumber", "eth_getCode", "eth_getBlockByNumber"];
    methods.push("eth_call", "eth_getLogs");
    for (const nonsense of [undefined, null, 7, "0x", "0xzz", {}, [{}], [{ topics: 1 }], "refused"])
      for (const method of methods) {
        // Answers that make sense, and say that there is nothing.
        if (nonsense === "0x" && (method === "eth_call" || method === "eth_getCode")) continue;
        if (nonsense === null && method === "eth_getBlockByNumber") continue;
        const node = guardNode();
        const rpc: Rpc = async (asked, params) => {
          if (asked !== method) return await node(asked, params);
          if (nonsense === "refused") throw new RpcRefused("not here");
          return nonsense;
        };
        const { code, text } = await verified(document, rpc);
        expect([code, /^unknown +rpc/m.test(text)], `${method} ${nonsense}`).to.deep.equal([2, true]);
      }
  });
});
