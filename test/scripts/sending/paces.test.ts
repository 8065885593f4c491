/** How the one sender offers, raises and hands over again, by its pace; and what it makes of the file of an earlier run. */
import { writeFile } from "node:fs/promises";
import { expect } from "chai";
import type { Transaction } from "ethers";
import { EXIT } from "../../../scripts/errors.ts";
import { STEADY, URGENT } from "../../../scripts/sending/paces.ts";
import { adminsOf, typedBy } from "../../support/admin.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { losing } from "../../support/rpcFaults.ts";
import { expectSaid } from "../../support/said.ts";
import { guardAs } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const KNOWN = "0x2222222222222222222222222222222222222222";

describe("the pace of a transaction", () => {
  const chain = testWorld();
  const rpc = ofSuite(() => flakyRpc(chain.url));
  const start = Date.now();
  /** A minute in three tenths of a second. */
  const now = () => start + (Date.now() - start) * 200;
  const adminAt = adminsOf(chain, () => ({ url: rpc.url, now }));
  let count = 0x3000;
  const allow = () => `guard allow-recipient 0x${(++count).toString(16).padStart(40, "0")} --execute`;
  beforeEach(() => {
    rpc.decide = () => null;
    rpc.sent.length = 0;
  });

  for (const [name, line, pace] of [
    ["steady", allow, STEADY],
    ["urgent", () => 'guard pause --reason "a drill" --execute', URGENT],
  ] as const)
    it(`${name}: one nonce, fees that rise up to its bound, and the rest to the next run`, async () => {
      const admin = await adminAt();
      rpc.decide = losing;
      const { maxFeePerGas: market } = await chain.provider.getFeeData();
      const words = line();
      expectSaid(await typedBy(admin, words), EXIT.pending, "It is recorded: run the command again");
      const offers = [...new Map(rpc.sent.map((each) => [each.hash, each])).values()];
      expect(new Set(offers.map(({ nonce }) => nonce))).to.have.length(1);
      expect(offers.length).to.be.greaterThan(1);
      const fees = offers.map(({ maxFeePerGas }) => maxFeePerGas!);
      expect(fees[0]! >= (market! * pace.firstTimesMarket * 9n) / 10n, "first").to.equal(true);
      expect(fees.at(-1)! <= (market! * pace.mostTimesMarket * 11n) / 10n, "last").to.equal(true);
      for (const [index, fee] of fees.slice(1).entries())
        expect(fee * 100n >= fees[index]! * 110n, "a node takes a replacement").to.equal(true);
      const left = await admin.records.at(pace).readPending();
      expect(left!.attempts).to.have.length(offers.length);

      rpc.decide = () => null;
      const { text } = await typedBy(admin, words);
      expect(text).to.contain(`continuing with the transaction of an earlier run, nonce ${offers[0]!.nonce}`);
      const history = await admin.records.readHistory();
      expect(history.map(({ outcome, nonce }) => [outcome, nonce])).to.deep.equal([
        ["confirmed", offers[0]!.nonce],
      ]);
      if (pace === URGENT) await (await guardAs(chain).unpause()).wait();
    });

  it("steady: an offer that comes too late finds that the one before was mined", async () => {
    const admin = await adminAt();
    let first: Transaction | null = null;
    rpc.decide = async (method, transaction) => {
      if (method !== "eth_sendRawTransaction" || transaction === null) return null;
      first ??= transaction;
      if (transaction.hash === first.hash) return { result: transaction.hash };
      await chain.provider.send("eth_sendRawTransaction", [first.serialized]);
      return { error: { code: -32000, message: "nonce too low" } };
    };
    expectSaid(await typedBy(admin, allow()), EXIT.ok, "confirmed  block ");
    expect((await admin.records.readHistory()).map(({ transaction }) => transaction)).to.deep.equal([
      first!.hash,
    ]);
  });

  it("signs and hands on nothing of a file whose deployment is another than it names", async () => {
    const admin = await adminAt();
    const { deployer, attestation } = chain.accounts;
    const deploy = `guard deploy --admin ${deployer.address} --pauser none --signer ${attestation.address} --admin-is-deployer --salt 77 --execute`;
    rpc.decide = losing;
    expect((await typedBy(admin, deploy)).code).to.equal(EXIT.pending);
    const whole = (await admin.records.readPending())!;
    expect([whole.command, whole.call.kind]).to.deep.equal(["guard deploy", "create"]);
    rpc.sent.length = 0;
    rpc.decide = () => null;
    const edits: object[] = [
      { creates: KNOWN },
      { to: KNOWN },
      { data: `${whole.call.data}00` },
      { kind: "admin" },
    ];
    for (const edit of edits) {
      await writeFile(
        admin.records.path("pending.json"),
        JSON.stringify({ ...whole, call: { ...whole.call, ...edit } }),
      );
      for (const words of ["guard pending", "guard pending bump --execute", deploy])
        expectSaid(await typedBy(admin, words), EXIT.unusable, "It was edited or copied");
    }
    expect(rpc.sent).to.deep.equal([]);
  });
});
