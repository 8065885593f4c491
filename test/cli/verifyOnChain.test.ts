import { expect } from "chai";
import { id, keccak256 } from "ethers";
import { signerFromPrivateKey } from "../../attestor/certificate/signer.ts";
import { policyById } from "../../attestor/policies/policy.ts";
import { evaluate } from "../../attestor/report.ts";
import { canonicalHash, canonicalJson } from "../../attestor/values/canonical.ts";
import type { KnownGuard } from "../../attestor/verify/trust.ts";
import { verifyReport } from "../../attestor/verify/verify.ts";
import { type Rpc, RpcRefused, RpcUnreachable } from "../../chain/jsonRpc.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
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
import {
  expectEnd,
  NAMED,
  type NodesTrade,
  preparedAndExecuted,
  SIGNED,
  verifiedWith,
} from "../support/verified.ts";

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
  /** By the guard's node: how it ends for who names the guard, and what it tells. */
  const ends = async (node: GuardNode, code: number, ...told: RegExp[]) =>
    expectEnd(await verified(document, guardNode(node)), code, ...told);

  describe("of a trade by the guard's present key", () => {
    it("assay verify --rpc of a trade by the guard's present key is VALID for who names the guard or the key, and says so in its last line", async () => {
      for (const flags of [NAMED, SIGNED]) {
        const { last } = expectEnd(await verified(document, guardNode(), flags), 0);
        expect(last).to.match(
          /^VALID: Issued by 0x\w{40}, the key .*, which the guard names today, for the guard /,
        );
      }
    });

    it("is UNVERIFIABLE for who names nothing: the node speaks for the chain, and nobody for the guard", async () => {
      const { last } = expectEnd(await verified(document, guardNode({ trades: [own] }), []), 2);
      expect(last).to.contain("--guard <chainId>:<address>");
    });

    it("asks for chain, block, code, key and trade", async () => {
      await ends(
        { trades: [own] },
        0,
        /^ok +chain +The RPC serves chain 31337\.$/m,
        /^ok +block +Block 4200 has the hash and the time that the evidence states\.$/m,
        /^absent +code +There is code at the guard's address, and no record here/m,
        /^ok +guard +The guard's signer at block 4200 was 0x/m,
        /^ok +trade +Executed in 0x[0-9a-f]{64}, block 4201: 1000000000 spent, 3980000000000000000 received/m,
      );
    });

    it("assay verify --rpc of a trade by the guard's present key is UNVERIFIABLE for a block of another hash or time, and INVALID where the reader saved its header", async () => {
      for (const other of [{ hash: id("another block") }, { timestamp: NOW - 3 }])
        await ends({ blocks: { [EVIDENCE_BLOCK]: other } }, 2, /^unknown +block/m);
      const files = { "h.txt": headerRlp(new Uint8Array(32), EVIDENCE_BLOCK, NOW - 2) };
      const flags = ["-", ...NAMED, "--header", "h.txt"];
      expectEnd(await verifiedWith(flags, guardNode(), { document, files }), 1, /^WRONG +saved header/m);
    });

    it("assay verify --rpc of a trade by the guard's present key is UNVERIFIABLE where the node does not have the block", async () => {
      for (const node of [{ head: 4_199 }, { blocks: { [EVIDENCE_BLOCK]: null } }]) await ends(node, 2);
    });

    it("compares the guard's code with the record, where there is one", async () => {
      const keys = [{ address: SIGNER.address, endedAt: null }];
      const known = recorded({ keys, codeHash: keccak256("0x6001") });
      const same = /^ok +code +The guard's code is that of deployments\/31337\.json\.$/m;
      expectEnd(await verified(document, guardNode(), [], [known]), 0, same);
      expectEnd(await verified(document, guardNode({ code: "0x6002" }), [], [known]), 2, /^unknown +code/m);
    });
  });

  describe("of a trade by a key that was replaced", () => {
    const keys = rotatedAt(5_000);

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE without the guard's event: the key could backdate", async () => {
      for (const flags of [NAMED, SIGNED]) {
        const { last } = expectEnd(await verified(document, guardNode({ keys }), flags), 2);
        expect(last).to.contain("could backdate").and.contain("no event of this very trade");
      }
    });

    it("assay verify --rpc of a trade by a key that was replaced is VALID with the guard's event of this very trade", async () => {
      const { last } = await ends({ keys, trades: [own] }, 0);
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
        const now = /^ok +guard +The guard's signer at block 4200 was .* It is 0x\w{40} now\.$/m;
        await ends({ ...node, keys, stateFrom: 8_000, trades: [own] }, 0, now);
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
      await ends(node, 2, /the search was given up at block/);
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE, with the reason, where the node refuses old state and events", async () => {
      const node = { stateFrom: 8_000, span: 0 };
      const { last } = await ends({ ...node, keys }, 2, /missing trie node/, /block range is too large/);
      expect(last).to.contain("could not be settled");
      await ends(node, 2);
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE where the node says that the guard never named it, or not at that block", async () => {
      const never = [{ from: 1, address: NEXT }];
      const later = [
        { from: 1, address: NEXT },
        { from: 4_201, address: SIGNER.address },
      ];
      const younger = [{ from: 4_500, address: SIGNER.address }];
      for (const history of [never, later, younger])
        for (const stateFrom of [0, 8_000]) await ends({ keys: history, stateFrom }, 2, /^unknown +guard/m);
    });

    it("assay verify --rpc of a trade by a key that was replaced is UNVERIFIABLE where the record knows of the rotation and the node cannot be reached", async () => {
      const ended = [
        { address: SIGNER.address, endedAt: NOW },
        { address: NEXT, endedAt: null },
      ];
      const known = recorded({ keys: ended });
      expectEnd(await verified(document, unreachable, NAMED, [known]), 2);
      expectEnd(await verified(document, guardNode({ keys, trades: [own] }), NAMED, [known]), 0);
    });
  });

  it("holds the trade intent of the document against the event's", async () => {
    await ends({ trades: [own] }, 0, /this evidence and this trade intent/);
    await ends({ trades: [{ ...own, intentHash: id("other") }] }, 2);
  });

  it("is UNVERIFIABLE where the event is not of the trade that was certified: owner, amounts, block or time", async () => {
    const due = BigInt(document.report.evidence.figures.minAmountOutRaw);
    await ends({ trades: [{ ...own, received: due }] }, 0);
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
    ] as const)
      await ends(node as GuardNode, 2, /^unknown +trade .*This trade cannot be so: /m, fault);
    const tall = guardNode({ trades: [{ ...own, block: 4_300 }] });
    const short: Rpc = async (method, params) =>
      method === "eth_blockNumber" ? "0x10cb" : await tall(method, params);
    const beyond = await verifiedWith(["--tx", transactionOf(0), "--service", "http://s", ...NAMED], short, {
      service: async () => ({ kind: "found", text: JSON.stringify(document) }),
    });
    expectEnd(beyond, 2, /the chain's newest block is 4299/);
  });

  it("is UNVERIFIABLE with --strict where something was skipped that could be checked, with a node and without", async () => {
    const files = { "r.json": JSON.stringify(REGISTRY) };
    const registry = ["--registry", "r.json"];
    const strictly = async (flags: string[], rpc = guardNode({ trades: [own] })) =>
      (await verifiedWith(["-", ...NAMED, "--strict", ...flags], rpc, { document, files })).text;
    expect(await strictly([])).to.match(/^unknown +registry +Registry \S+ is missing/m);
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
    expectEnd(await verified(document, eventOnly), 2, /^unknown +rpc +The RPC contradicts itself: /m);
    const html: Rpc = async (method, params: any[]) => {
      if (method === "eth_call" && typeof params[1] === "object")
        throw new RpcUnreachable("it answers something other than JSON-RPC");
      return await whole(method, params);
    };
    expectEnd(await verified(document, html), 2, /^unknown +read again .*other than JSON-RPC/m);
  });

  it("says that a trade was not executed, which is no fault", async () => {
    const others = [
      { ...own, jobId: "job_other" },
      { ...own, address: addressFor("another guard") },
      { ...own, block: EVIDENCE_BLOCK - 1 },
    ];
    for (const trades of [[], others])
      await ends({ trades }, 0, /^absent +trade +The guard shows no trade of this job since block 4200/m);
  });

  it("finds out a report that was changed and hashed again, by the version in the transaction", async () => {
    const evidence = copy(document.report.evidence);
    evidence.liquidity.sampleN = 41;
    const forged = copy(evaluate(policyById("STRICT_LIVE"), evidence));
    expect(forged.evidenceHash).to.equal(canonicalHash(evidence));
    expect(canonicalJson(evidence)).to.contain('"sampleN":41');
    expectEnd(await verified(forged, guardNode()), 2);
    for (const relayed of [false, true]) {
      const node = guardNode({ trades: [{ ...own, version: 2, relayed }] });
      const why = /^unknown +trade .*not what the trade was certified on/m;
      expectEnd(await verified(forged, node), 2, why);
    }
  });

  it("assay verify --rpc does not blame a report for the trade of another version of it", async () => {
    const trades = [{ ...own, evidenceHash: id("version 3"), intentHash: id("intent 3"), version: 3 }];
    await ends({ trades }, 0, /^absent +trade .*That was version 3 of the report; this is version 2\./m);
    await ends({ trades: [...trades, own] }, 0, /^ok +trade/m);
  });

  it("assay verify --rpc is UNVERIFIABLE where the transaction does not say which version was executed", async () => {
    const unknown = { ...own, evidenceHash: id("who knows"), intentHash: id("who knows") };
    for (const trade of [
      unknown,
      // Data for another contract mean only what their sender likes.
      { ...unknown, version: 2, through: addressFor("another contract") },
      { ...unknown, version: 3, through: addressFor("another contract") },
      { ...unknown, version: 2, through: null },
    ])
      await ends({ trades: [trade] }, 2);
  });

  it("assay verify --rpc is UNVERIFIABLE for a report that nobody signed, also where the guard's event names it", async () => {
    const { last } = expectEnd(await verified(document.report, guardNode({ trades: [own] })), 2);
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
    expectEnd(await verified(forged, node, []), 2);
    for (const trusted of [["--guard", `${CHAIN_ID}:${addressFor("the true guard")}`], SIGNED])
      expectEnd(await verified(forged, node, trusted), 1);
    expectEnd(await verified(forged, guardNode()), 2);
  });

  it("assay verify --rpc is UNVERIFIABLE on another chain, or where there is no guard", async () => {
    const elsewhere = /serves chain 56, the report is about chain 31337/;
    const { text } = await ends({ chainId: 56, trades: [own] }, 2, elsewhere);
    expect(text).to.not.contain("Executed in");
    await ends({ guardMissing: true }, 2);
  });

  it("searches in spans where the node limits them, and gives up after a bounded number", async () => {
    for (const span of [2_000, 700, 60])
      await ends({ span, trades: [{ ...own, block: 6_000 }] }, 0, /block 6000/);
    const asked: string[] = [];
    const far = await verified(document, guardNode({ span: 2_000, head: 9_000_000 }, asked));
    expect(far.text).to.contain("no trade of this job from block 4200 to 204199");
    expect(asked.length).to.be.lessThan(120);
    await ends({ span: 10 }, 2);
  });

  it("does not ask the chain about what is no report", async () => {
    const asked: string[] = [];
    expectEnd(await verified({ a: 1 }, guardNode({}, asked)), 2);
    expect(asked).to.deep.equal([]);
  });

  it("assay verify --rpc stays INVALID, and tells why, when the node fails on top", async () => {
    expectEnd(await verified(document, unreachable), 2);
    const bent = { ...document, report: { ...document.report, decision: "DENY" } };
    expectEnd(await verified(bent, unreachable), 1);
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
        expectEnd(await verified(document, rpc), 2, /^unknown +rpc/m);
      }
  });
});
