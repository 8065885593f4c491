/** What a node of the reader's says of a trade that a former key of the guard signed. */
import { expect } from "chai";
import { id } from "ethers";
import type { KnownGuard } from "../../../attestor/verify/trust.ts";
import type { Rpc } from "../../../chain/jsonRpc.ts";
import { addressFor, NOW, SIGNER } from "../../attestor/fixtures.ts";
import { EVIDENCE_BLOCK, type GuardNode, guardNode } from "../../support/guardNode.ts";
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

const NEXT = addressFor("the next key");
/** The fixtures' key until some block, and another one from there on. */
const ROTATED = [
  { from: 1, address: SIGNER.address },
  { from: 5_000, address: NEXT },
];

describe("assay verify --rpc of a trade by a key that was replaced", () => {
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

  it("is UNVERIFIABLE without the guard's event, since the key could backdate, and VALID with it", async () => {
    for (const flags of [NAMED, SIGNED])
      expectEnd(await verified(document, guardNode({ keys: ROTATED }), flags), 2, "issuer key_former");
    const { issuedBy } = await ends({ keys: ROTATED, trades: [own] }, 0);
    expect(issuedBy).to.equal("issued_by_guards_key_executed");
  });

  it("is not VALID with the event of another trade", async () => {
    for (const trade of [
      { ...own, intentHash: id("another intent") },
      { ...own, evidenceHash: id("version 3"), intentHash: id("another intent"), version: 3 },
      { ...own, jobId: "job_other" },
      { ...own, address: addressFor("another guard") },
      { ...own, block: EVIDENCE_BLOCK - 1 },
    ])
      await ends({ keys: ROTATED, trades: [trade] }, 2);
  });

  it("is read from the guard's events where the node has no state of that time", async () => {
    for (const node of [{}, { span: 700 }, { span: 60 }])
      await ends({ ...node, keys: ROTATED, stateFrom: 8_000, trades: [own] }, 0);
    const twice = [
      { from: 4_100, address: addressFor("the first key") },
      { from: 4_150, address: SIGNER.address },
      { from: 300_000, address: NEXT },
    ];
    const node = { keys: twice, stateFrom: 890_000, span: 60, head: 900_000, trades: [own] };
    // From the deployment on, where that is nearer.
    const near = await verified(document, guardNode(node), NAMED, [recorded({ deployedAtBlock: 4_100 })]);
    expect(near.codes).to.not.include("chain node_failed");
    const far = await ends(node, 2, "chain node_failed", "issuer key_unsettled");
    expect(far.paramsOf("node_failed").reason).to.contain("the search was given up at block");
  });

  it("is UNVERIFIABLE, with the reason, where the node refuses old state and events, or cannot be reached", async () => {
    const node = { stateFrom: 8_000, span: 0 };
    const refused = await ends({ ...node, keys: ROTATED }, 2, "issuer key_unsettled");
    expect(refused.paramsOf("node_failed").reason).to.match(/missing trie node.*block range is too large/);
    await ends(node, 2);
    const ended = [
      { address: SIGNER.address, endedAt: NOW },
      { address: NEXT, endedAt: null },
    ];
    const known = [recorded({ keys: ended })];
    expectEnd(await verified(document, unreachable, NAMED, known), 2, "issuer key_ended_unsettled");
    const settled = guardNode({ keys: ROTATED, trades: [own] });
    expectEnd(await verified(document, settled, NAMED, known), 0);
  });

  it("is UNVERIFIABLE where the node says that the guard never named it, or not at that block", async () => {
    const never = [{ from: 1, address: NEXT }];
    const later = [...never, { from: 4_201, address: SIGNER.address }];
    for (const stateFrom of [0, 8_000]) {
      for (const keys of [never, later]) await ends({ keys, stateFrom }, 2, "chain key_other_then");
      const younger = [{ from: 4_500, address: SIGNER.address }];
      await ends({ keys: younger, stateFrom }, 2, "chain no_guard_then");
    }
  });
});
