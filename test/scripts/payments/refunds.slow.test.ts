/** `assay payments refund`: proposed, found on the chain or confirmed by its hash, once, on a real chain with real purchases. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, Wallet } from "ethers";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import type { Database } from "../../../database/open.ts";
import { actorHere } from "../../../scripts/admin/world.ts";
import { createNodes, createTokens } from "../../../scripts/payments/open.ts";
import { changeRows, forEachEngine, memoryDatabase } from "../../support/database.ts";
import { tokenOf } from "../../support/dollars.ts";
import { fakeConsole } from "../../support/fakeConsole.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { json } from "../../support/http.ts";
import { addPayment } from "../../support/paymentRows.ts";
import { type Buyer, buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { assayIn, wordsOf } from "../../support/typed.ts";
import { PRICE } from "../../support/x402.ts";

const NETWORK = "eip155:31337";
const nodeAt = (url: string) =>
  new JsonRpcProvider(url, 31_337, { staticNetwork: true, batchMaxCount: 1, cacheTimeout: -1 });

describe("refunds", () => {
  const world = testPaidWorld();
  const nodes = ofSuite(async () => createNodes(new Map([[NETWORK, world.url]])));
  let payee: Wallet;
  let friend: Wallet;
  before(async () => {
    payee = new Wallet(world.accounts.payee.privateKey, world.provider);
    friend = walletOf(world, 5);
    // As much as many payments would have brought.
    await sendByHand(friend, payee.address, 100n * PRICE);
  });

  let printed: string;
  let errors: string;
  /** @param node in the place of the world's */
  async function payments(db: Database, words: string, node?: JsonRpcProvider, confirmations = 1) {
    const { world: own, shown, warned } = fakeConsole();
    const deps = {
      db,
      nodes: node === undefined ? nodes : { of: () => node, close() {} },
      tokens: createTokens(null, nodes),
      confirmationsOf: () => confirmations,
    };
    const code = await assayIn(["payments", ...wordsOf(words)], Object.assign(own, { payments: deps }));
    printed = `${shown.join("\n")}\n`;
    errors = warned.join("\n");
    return code;
  }
  async function sendByHand(from: Wallet, to: string, amount: bigint): Promise<string> {
    const response = await tokenOf(world, "USDL", from).getFunction("transfer").send(to, amount);
    await response.wait();
    return response.hash;
  }

  forEachEngine((engine) => {
    const service = ofSuite(async () => startPaidService(world, await engine.createUrl()));
    let buyer: Buyer;
    let db: Database;
    before(() => {
      buyer = buyerOf(service, engine.name === "sqlite" ? 0 : 1);
      db = service.server.service.db;
    });

    /** @returns the job of a new purchase, with its token */
    async function bought(): Promise<{ jobId: string; jobToken: string }> {
      return (await buyer.pay("/a2mcp/verify", json(service.verifyBody()))).body;
    }
    /** @returns the job of a payment in the ledger */
    const paid = () =>
      addPayment(db, Math.floor(Date.now() / 1_000), {
        asset: world.token("USDL"),
        payer: buyer.wallet.address,
        pay_to: payee.address,
        block_number: 1,
      });
    const states = async () => {
      const rows = await db.selectFrom("refunds").select("state").orderBy("created_at").execute();
      return rows.map(({ state }) => state);
    };
    it("is confirmed by the hash of the transfer that somebody sent, once, and the report stays open", async () => {
      const { jobId, jobToken } = await bought();
      expect(await payments(db, `refund ${jobId} --reason outage`), errors).to.equal(0);
      expect(printed)
        .to.include("0.01 USDL")
        .and.to.match(/call data +0xa9059cbb/);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      for (let round = 0; round < 2; round++) {
        expect(await payments(db, `refund ${jobId} --confirm ${hash}`), errors).to.equal(0);
        expect(printed).to.match(/refunded +job_/);
      }
      expect((await service.open({ jobId, jobToken }, "/report")).status).to.equal(200);
      await payments(db, `list --job ${jobId}`);
      expect(printed).to.match(/refunded in 0x[0-9a-f]{64}/);
    });

    it("is in the list, in JSON and in the check", async () => {
      await payments(db, "list --json");
      expect(JSON.parse(printed)[0]).to.include({ refund: "confirmed", amount: "0.01" });
      await payments(db, "refund --json");
      const who = { from: payee.address, to: buyer.wallet.address, actor: actorHere() };
      expect(JSON.parse(printed)[0]).to.include({ ...who, state: "confirmed", reason: "outage" });
      if (engine.name === "postgres") return;
      expect(await payments(db, "check"), printed).to.equal(0);
      expect(printed).to.include("refunds       1, 0 not on the chain");
      await changeRows(db, "refunds", { log_index: 9 });
      expect(await payments(db, "check")).to.equal(1);
      expect(printed).to.include("no refund");
      await changeRows(db, "refunds", { log_index: 0 });
    });

    it("writes a Safe file, and finds on the chain that the Safe sent it", async () => {
      const jobId = await paid();
      const path = join(world.dataDir, `${jobId}.json`);
      expect(await payments(db, `refund ${jobId} --safe ${path}`), errors).to.equal(0);
      const file = JSON.parse(await readFile(path, "utf8"));
      expect(isSafeFileWhole(file)).to.equal(true);
      expect(file.meta.createdFromSafeAddress).to.equal(payee.address);
      const [{ to, contractMethod, contractInputsValues, value }] = file.transactions;
      expect([to, contractMethod.name, value]).to.deep.equal([world.token("USDL"), "transfer", "0"]);
      expect(contractInputsValues).to.deep.equal({ to: buyer.wallet.address, amount: PRICE.toString() });
      await payments(db, "refund");
      expect(printed).to.match(/proposed .*job_/);
      // A friend's transfer of the same amount is not it.
      await sendByHand(friend, buyer.wallet.address, PRICE);
      await payments(db, "refund");
      expect(await states()).to.deep.equal(["confirmed", "proposed"]);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      expect(await payments(db, "refund")).to.equal(0);
      expect(printed).to.include(hash);
      expect(await states()).to.deep.equal(["confirmed", "confirmed"]);
    });

    it("asks nothing of a node that serves another chain, and leaves what is written down", async () => {
      await using rpc = await flakyRpc(world.url, (method) =>
        method === "eth_chainId" ? { result: "0x61" } : null,
      );
      const node = nodeAt(rpc.url);
      const jobId = await paid();
      await payments(db, `refund ${jobId}`);
      const before = await states();
      for (const command of [`refund ${jobId} --withdraw`, `refund ${jobId}`, "refund"]) {
        expect(await payments(db, command, node), command).to.equal(2);
        expect(errors, command).to.include("chain 97");
      }
      expect(await states()).to.deep.equal(before);
      node.destroy();
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(0);
    });

    it("takes a transfer for one refund alone", async () => {
      for (const job of [await paid(), await paid()]) await payments(db, `refund ${job}`);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      await payments(db, "refund --json");
      const left = JSON.parse(printed).filter(({ state }: any) => state === "proposed");
      expect(left).to.have.length(1);
      expect(await payments(db, `refund ${left[0].jobId} --confirm ${hash}`)).to.equal(1);
      expect(errors).to.include("another payment's refund");
      const next = await sendByHand(payee, buyer.wallet.address, PRICE);
      expect(await payments(db, `refund ${left[0].jobId} --confirm ${next}`), errors).to.equal(0);
    });

    it("believes a named transaction of any sender, if it paid the payer exactly that", async () => {
      const jobId = await paid();
      const wrong = await sendByHand(friend, buyer.wallet.address, PRICE + 1n);
      expect(await payments(db, `refund ${jobId} --confirm ${wrong}`)).to.equal(1);
      const own = await sendByHand(buyer.wallet.connect(world.provider), buyer.wallet.address, PRICE);
      expect(await payments(db, `refund ${jobId} --confirm ${own}`)).to.equal(1);
      const right = await sendByHand(friend, buyer.wallet.address, PRICE);
      expect(await payments(db, `refund ${jobId} --confirm ${right}`, undefined, 3)).to.equal(1);
      expect(printed).to.include("not deep enough");
      await world.mine(2);
      expect(await payments(db, `refund ${jobId} --confirm ${right}`, undefined, 3), errors).to.equal(0);
      await payments(db, "refund --json");
      expect(JSON.parse(printed).find((row: any) => row.jobId === jobId).from).to.equal(friend.address);
    });

    it("is proposed to no other account until it is withdrawn, which a confirmed one is not", async () => {
      const jobId = await paid();
      await payments(db, `refund ${jobId} --from ${world.accounts.users[6]!.address}`);
      expect(await payments(db, `refund ${jobId} --from ${payee.address}`)).to.equal(1);
      expect(errors).to.include("--withdraw");
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(0);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      expect(await payments(db, `refund ${jobId} --confirm ${hash}`), errors).to.equal(0);
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(1);
    });

    it("refuses what was not settled, and what nobody knows", async () => {
      const now = Math.floor(Date.now() / 1_000);
      const open = await addPayment(db, now, { state: "settling" });
      const expired = await addPayment(db, now, { state: "expired" });
      for (const [job, words] of [
        [open, "not settled yet"],
        [expired, "No settled payment"],
        ["job_none", "No settled payment"],
      ] as const) {
        expect(await payments(db, `refund ${job}`)).to.equal(1);
        expect(errors).to.include(words);
      }
    });
  });

  it("needs a node of the network", async () => {
    await using db = await memoryDatabase();
    const job = await addPayment(db, Math.floor(Date.now() / 1_000), { network: "eip155:56" });
    expect(await payments(db, `refund ${job}`)).to.equal(1);
    expect(errors).to.include("No node of eip155:56");
  });
});
