/** What a node of the reader's changes of a verdict, and that it alone makes nothing INVALID. */
import { expect } from "chai";
import { id, keccak256 } from "ethers";
import { signerFromPrivateKey } from "../../../attestor/certificate/signer.ts";
import { policyById } from "../../../attestor/policies/policy.ts";
import { evaluate } from "../../../attestor/report.ts";
import type { KnownGuard } from "../../../attestor/verify/trust.ts";
import { type Rpc, RpcRefused, RpcUnreachable } from "../../../chain/jsonRpc.ts";
import {
  addressFor,
  CHAIN_ID,
  copy,
  DOMAIN,
  NOW,
  prepared,
  REGISTRY,
  SIGNER,
} from "../../attestor/fixtures.ts";
import { headerRlp } from "../../attestor/proofs/state.ts";
import { EVIDENCE_BLOCK, type GuardNode, guardNode, transactionOf } from "../../support/guardNode.ts";
import {
  expectEnd,
  NAMED,
  type NodesTrade,
  preparedAndExecuted,
  recorded,
  SIGNED,
  unreachable,
  verifiedWith,
} from "../../support/verified.ts";

describe("assay verify --rpc", () => {
  const verified = (document: unknown, rpc: Rpc, flags: string[] = NAMED, known: KnownGuard[] = []) =>
    verifiedWith(["-", ...flags], rpc, { document, known });

  let document: any;
  let own: NodesTrade;
  before(async () => {
    ({ document, own } = await preparedAndExecuted());
  });
  /** By the guard's node: how it ends for who names the guard, and what it tells. */
  const ends = async (node: GuardNode, code: number, ...codes: string[]) =>
    expectEnd(await verified(document, guardNode(node)), code, ...codes);

  describe("of a trade by the guard's present key", () => {
    it("is VALID for who names the guard or the key, and UNVERIFIABLE for who names nothing", async () => {
      for (const [flags, reason] of [
        [NAMED, "issued_by_guards_key_today"],
        [SIGNED, "issued_by_trusted_key_today"],
      ] as const)
        expect(expectEnd(await verified(document, guardNode(), flags), 0).issuedBy).to.equal(reason);
      // The node speaks for the chain, and nobody for the guard.
      const nobody = await verified(document, guardNode({ trades: [own] }), []);
      expectEnd(nobody, 2, "issuer nobody_trusted");
    });

    it("tells of the trade as the guard executed it, and of one that was not executed nothing", async () => {
      const { executed, conclusion } = await ends({ trades: [own] }, 0, "chain code_not_recorded");
      expect(executed).to.deep.equal({
        transactionHash: transactionOf(0),
        blockNumber: 4_201,
        amountSpent: "1000000000",
        amountOut: "3980000000000000000",
      });
      expect(conclusion).to.match(/^VALID, EXECUTED\. /);
      const others = [
        { ...own, jobId: "job_other" },
        { ...own, address: addressFor("another guard") },
        { ...own, block: EVIDENCE_BLOCK - 1 },
      ];
      for (const trades of [[], others]) expect((await ends({ trades }, 0)).executed).to.equal(null);
    });

    it("is UNVERIFIABLE for a block of another hash or time, or none, and INVALID where the reader saved its header", async () => {
      for (const other of [{ hash: id("another block") }, { timestamp: NOW - 3 }])
        await ends({ blocks: { [EVIDENCE_BLOCK]: other } }, 2, "chain block_other");
      for (const node of [{ head: 4_199 }, { blocks: { [EVIDENCE_BLOCK]: null } }])
        await ends(node, 2, "chain block_missing");
      const files = { "h.txt": headerRlp(new Uint8Array(32), EVIDENCE_BLOCK, NOW - 2) };
      const flags = ["-", ...NAMED, "--header", "h.txt"];
      expectEnd(await verifiedWith(flags, guardNode(), { document, files }), 1, "state header_other");
    });

    it("compares the guard's code with the record, where there is one", async () => {
      const keys = [{ address: SIGNER.address, endedAt: null }];
      const known = recorded({ keys, codeHash: keccak256("0x6001") });
      const same = expectEnd(await verified(document, guardNode(), [], [known]), 0);
      expect(same.codes).to.not.include("chain code_not_recorded");
      expectEnd(await verified(document, guardNode({ code: "0x6002" }), [], [known]), 2, "chain code_other");
    });
  });

  it("is UNVERIFIABLE where the event is not of the trade that was certified: intent, owner, amounts, block or time", async () => {
    const due = BigInt(document.report.evidence.figures.minAmountOutRaw);
    await ends({ trades: [{ ...own, received: due }] }, 0);
    for (const [node, contradiction] of [
      [{ trades: [{ ...own, intentHash: id("other") }] }, "intentHash"],
      [{ trades: [{ ...own, owner: addressFor("another owner") }] }, "owner"],
      [{ trades: [{ ...own, spent: 999_999_999n }] }, "amountSpent"],
      [{ trades: [{ ...own, spent: 1_000_000_001n }] }, "amountSpent"],
      [{ trades: [{ ...own, received: due - 1n }] }, "amountOut"],
      [{ trades: [{ ...own, block: EVIDENCE_BLOCK }] }, "before its judgement"],
      [{ trades: [own], blocks: { 4201: { timestamp: NOW - 3 } } }, "before its judgement"],
      [{ trades: [{ ...own, block: 7_000 }] }, "after its end"],
    ] as [GuardNode, string][])
      expect((await ends(node, 2)).paramsOf("trade_contradicts").contradictions).to.equal(contradiction);
    const tall = guardNode({ trades: [{ ...own, block: 4_300 }] });
    const short: Rpc = async (method, params) =>
      method === "eth_blockNumber" ? "0x10cb" : await tall(method, params);
    const beyond = await verifiedWith(["--tx", transactionOf(0), "--service", "http://s", ...NAMED], short, {
      service: async () => ({ kind: "found", text: JSON.stringify(document) }),
    });
    expectEnd(beyond, 2);
    expect(beyond.paramsOf("trade_contradicts").contradictions).to.equal("beyond the newest block");
  });

  it("is UNVERIFIABLE with --strict where something was skipped that could be checked", async () => {
    const files = { "r.json": JSON.stringify(REGISTRY) };
    const rpc = guardNode({ trades: [own] });
    const strictly = (flags: string[]) =>
      verifiedWith(["-", ...NAMED, "--strict", ...flags], rpc, { document, files });
    const skipped = async (flags: string[]) => {
      const { json } = expectEnd(await strictly(flags), 2);
      return json.steps.flatMap(({ faults }: any) => faults.map(({ code }: any) => code));
    };
    expect(await skipped([])).to.include("registry_missing");
    const given = await skipped(["--registry", "r.json"]);
    expect(given).to.include("samples_not_named").and.not.include("registry_missing");
    // What the node no longer has nobody can check: it is said, and no fault.
    expect((await strictly(["--registry", "r.json"])).codes).to.include("chain gone_from_node");
  });

  it("is UNVERIFIABLE by a node that shows an event without its receipt, or fails when read again", async () => {
    const [whole, bare] = [guardNode({ trades: [own] }), guardNode()];
    const eventOnly: Rpc = (method, params) => (method === "eth_getLogs" ? whole : bare)(method, params);
    const contradicting = expectEnd(await verified(document, eventOnly), 2, "chain node_failed");
    expect(contradicting.paramsOf("node_failed").reason).to.contain("contradicts itself");
    const html: Rpc = async (method, params: any[]) => {
      if (method === "eth_call" && typeof params[1] === "object")
        throw new RpcUnreachable("it answers something other than JSON-RPC");
      return await whole(method, params);
    };
    expectEnd(await verified(document, html), 2, "chain read_again_failed");
  });

  it("finds out a report that was changed and hashed again, by the version in the transaction", async () => {
    const evidence = copy(document.report.evidence);
    evidence.liquidity.sampleN = 41;
    const forged = copy(evaluate(policyById("STRICT_LIVE"), evidence));
    expectEnd(await verified(forged, guardNode()), 2, "issuer unsigned");
    for (const relayed of [false, true]) {
      const node = guardNode({ trades: [{ ...own, version: 2, relayed }] });
      expectEnd(await verified(forged, node), 2, "chain trade_on_other_evidence");
    }
  });

  it("does not blame a report for the trade of another version of it", async () => {
    const trades = [{ ...own, evidenceHash: id("version 3"), intentHash: id("intent 3"), version: 3 }];
    const { paramsOf } = await ends({ trades }, 0, "chain trade_of_other_version");
    expect(paramsOf("trade_of_other_version").version).to.equal("3");
    expect((await ends({ trades: [...trades, own] }, 0)).executed.transactionHash).to.equal(transactionOf(1));
  });

  it("is UNVERIFIABLE where the transaction does not say which version was executed", async () => {
    const unknown = { ...own, evidenceHash: id("who knows"), intentHash: id("who knows") };
    for (const trade of [
      unknown,
      // Data for another contract mean only what their sender likes.
      { ...unknown, version: 2, through: addressFor("another contract") },
      { ...unknown, version: 3, through: addressFor("another contract") },
      { ...unknown, version: 2, through: null },
    ])
      await ends({ trades: [trade] }, 2, "chain trade_of_unknown_version");
  });

  it("is UNVERIFIABLE for a report that nobody signed, also where the guard's event names it", async () => {
    const { executed } = expectEnd(
      await verified(document.report, guardNode({ trades: [own] })),
      2,
      "issuer unsigned",
    );
    expect(executed).to.not.equal(null);
  });

  it("does not take a guard of a forger's for one that is trusted", async () => {
    const key = id("a forger's own key");
    const forger = signerFromPrivateKey(key, DOMAIN).address;
    const evidence = copy(document.report.evidence);
    Object.assign(evidence.guard, { signer: forger, attestor: forger });
    const forged = copy(await prepared(evaluate(policyById("STRICT_LIVE"), evidence), undefined, key));
    const node = guardNode({ keys: [{ from: 1, address: forger }] });
    // A node that agrees with the forger about a guard that nobody named.
    expectEnd(await verified(forged, node, []), 2, "issuer nobody_trusted");
    const trueGuard = ["--guard", `${CHAIN_ID}:${addressFor("the true guard")}`];
    expectEnd(await verified(forged, node, trueGuard), 1, "issuer guard_other");
    expectEnd(await verified(forged, node, SIGNED), 1, "issuer signer_other");
    expectEnd(await verified(forged, guardNode()), 2, "chain key_other_then");
  });

  it("is UNVERIFIABLE on another chain, or where there is no guard", async () => {
    const { executed } = await ends({ chainId: 56, trades: [own] }, 2, "chain other_chain");
    expect(executed).to.equal(null);
    await ends({ guardMissing: true }, 2, "chain no_guard");
  });

  it("searches in spans where the node limits them, and gives up after a bounded number", async () => {
    for (const span of [2_000, 700, 60]) {
      const { executed } = await ends({ span, trades: [{ ...own, block: 6_000 }] }, 0);
      expect(executed.blockNumber).to.equal(6_000);
    }
    const asked: string[] = [];
    const far = await verified(document, guardNode({ span: 2_000, head: 9_000_000 }, asked));
    expect(far.paramsOf("trade_searched_in_part")).to.deep.equal({ from: 4_200, to: 204_199 });
    expect(asked.length).to.be.lessThan(140);
    await ends({ span: 10 }, 2);
  });

  it("does not ask the chain about what is no report", async () => {
    const asked: string[] = [];
    expectEnd(await verified({ a: 1 }, guardNode({}, asked)), 2, "document no_report");
    expect(asked).to.deep.equal([]);
  });

  it("stays INVALID, and tells why, when the node fails on top", async () => {
    expectEnd(await verified(document, unreachable), 2, "chain node_failed");
    const bent = { ...document, report: { ...document.report, decision: "DENY" } };
    expectEnd(await verified(bent, unreachable), 1, "judgement findings_other", "chain node_failed");
  });

  it("is UNVERIFIABLE for a node that answers nonsense, or refuses a method", async () => {
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
        expectEnd(await verified(document, rpc), 2, "chain node_failed");
      }
  });
});
