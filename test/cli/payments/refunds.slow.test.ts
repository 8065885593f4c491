/** `npm run payments -- refund`: paid back once, despite any failure in between, on a real chain with real purchases. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { JsonRpcProvider, Wallet } from "ethers";
import { isSafeFileWhole } from "../../../attestor/evm/safeFile.ts";
import { UsageError } from "../../../cli/console.ts";
import { createNodes } from "../../../cli/payments/nodes.ts";
import { parseOptions } from "../../../cli/payments/options.ts";
import { runPaymentsCommand } from "../../../cli/payments/run.ts";
import { createTokens } from "../../../cli/payments/tokens.ts";
import type { Database } from "../../../database/open.ts";
import { changeRows, forAlikeEngines, memoryDatabase } from "../../support/database.ts";
import { dollarsOf, tokenOf } from "../../support/dollars.ts";
import { failureOf } from "../../support/failure.ts";
import { flakyRpc } from "../../support/flakyRpc.ts";
import { json } from "../../support/http.ts";
import { addPayment } from "../../support/paymentRows.ts";
import { type Buyer, buyerOf, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
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
  /** Happens while the operator is asked for the password of the keystore. */
  let meanwhile: () => Promise<unknown> = async () => {};
  /** @param node in the place of the world's */
  async function payments(db: Database, command: string, node?: JsonRpcProvider, confirmations = 1) {
    printed = "";
    errors = "";
    return runPaymentsCommand(parseOptions(command.split(" ")), {
      db,
      nodes: node === undefined ? nodes : { of: () => node, close() {} },
      tokens: createTokens(null, nodes),
      now: Date.now,
      write: (text) => (printed += text),
      printError: (line) => (errors += line),
      refunds: {
        confirmationsOf: () => confirmations,
        signer: async () => {
          await meanwhile();
          return [new Wallet(payee.privateKey)];
        },
        actor: "ann@desk",
        sleep: () => new Promise((resolve) => setTimeout(resolve, 20)),
        writeFile: (path, text) => writeFile(path, text),
      },
    });
  }
  async function sendByHand(from: Wallet, to: string, amount: bigint): Promise<string> {
    const response = await tokenOf(world, "USDL", from).getFunction("transfer").send(to, amount);
    await response.wait();
    return response.hash;
  }

  forAlikeEngines((engine) => {
    const service = ofSuite(async () => startPaidService(world, await engine.createUrl()));
    let buyer: Buyer;
    let db: Database;
    before(() => {
      buyer = buyerOf(service, engine.name === "sqlite" ? 0 : 1);
      db = service.server.db;
    });

    /** @returns the job of a new purchase, with its token */
    async function bought(): Promise<{ jobId: string; jobToken: string }> {
      return (await buyer.pay("/a2mcp/verify", json(service.verifyBody()))).body;
    }
    /** @returns the job of a payment in the ledger */
    const paid = () =>
      addPayment(db, Math.floor(Date.now() / 1_000), {
        ...{
          asset: world.token("USDL"),
          payer: buyer.wallet.address,
          pay_to: payee.address,
          block_number: 1,
        },
      });
    const held = () => dollarsOf(world, buyer.wallet.address);
    const states = async () => {
      const rows = await db.selectFrom("refunds").select("state").orderBy("created_at").execute();
      return rows.map(({ state }) => state);
    };
    /** Refunds, with a node that is gone at a question. @returns what it left with */
    async function killed(job: string, when: "before" | "after", at: number | string): Promise<number> {
      let isGone = false;
      await using rpc = await flakyRpc(world.url, (method) => {
        if (isGone) return "drop";
        isGone = typeof at === "number" ? rpc.asked.length === at : method === at;
        return isGone ? (when === "before" ? "drop" : "lose-answer") : null;
      });
      const node = nodeAt(rpc.url);
      const code = await payments(db, `refund ${job} --execute`, node).catch(() => 1);
      node.destroy();
      return code;
    }
    const SENDING = "eth_sendRawTransaction";

    it("pays all of it back by the operator's key, once, and the report stays open", async () => {
      const { jobId, jobToken } = await bought();
      const before = await held();
      expect(await payments(db, `refund ${jobId} --execute --reason outage`), errors).to.equal(0);
      expect(printed)
        .to.include("0.01 USDL")
        .and.to.match(/refunded +job_/);
      expect((await held()) - before).to.equal(PRICE);
      expect(await payments(db, `refund ${jobId} --execute`)).to.equal(0);
      expect((await held()) - before).to.equal(PRICE);
      expect((await service.open({ jobId, jobToken }, "/report")).status).to.equal(200);
      await payments(db, `report ${jobId}`);
      expect(printed).to.match(/refunded in 0x[0-9a-f]{64}/);
    });

    it("is in the list, the sums, the CSV and the check", async () => {
      await payments(db, "totals --json");
      const [total] = JSON.parse(printed);
      expect(total).to.include({ payments: 1, amount: "0.01", refunds: 1, refunded: "0.01" });
      await payments(db, "export --json");
      expect(JSON.parse(printed)[0]).to.include({ refund: "confirmed", amount: "0.01" });
      await payments(db, "refunds --json");
      const who = { from: payee.address, to: buyer.wallet.address, actor: "ann@desk" };
      expect(JSON.parse(printed)[0]).to.include({ ...who, state: "confirmed", reason: "outage" });
      expect(printed).not.to.include("raw_transaction");
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
      expect(await payments(db, `refund ${jobId} --safe-file ${path}`), errors).to.equal(0);
      const file = JSON.parse(await readFile(path, "utf8"));
      expect(isSafeFileWhole(file)).to.equal(true);
      expect(file.meta.createdFromSafeAddress).to.equal(payee.address);
      const [{ to, contractMethod, contractInputsValues, value }] = file.transactions;
      expect([to, contractMethod.name, value]).to.deep.equal([world.token("USDL"), "transfer", "0"]);
      expect(contractInputsValues).to.deep.equal({ to: buyer.wallet.address, amount: PRICE.toString() });
      await payments(db, "refunds");
      expect(printed).to.match(/proposed .*job_/);
      // A friend's transfer of the same amount is not it.
      await sendByHand(friend, buyer.wallet.address, PRICE);
      await payments(db, "refunds");
      expect(await states()).to.deep.equal(["confirmed", "proposed"]);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      expect(await payments(db, "refunds")).to.equal(0);
      expect(printed).to.include(hash);
      expect(await states()).to.deep.equal(["confirmed", "confirmed"]);
    });

    it("sends nothing where the transfer was sent by hand while the password was asked for", async () => {
      const jobId = await paid();
      await payments(db, `refund ${jobId}`);
      const before = await held();
      meanwhile = () => sendByHand(payee, buyer.wallet.address, PRICE);
      try {
        expect(await payments(db, `refund ${jobId} --execute`), errors).to.equal(0);
      } finally {
        meanwhile = async () => {};
      }
      expect((await held()) - before).to.equal(PRICE);
      expect(printed).to.match(/refunded +job_/);
    });

    it("asks nothing of a node that serves another chain, and leaves what is written down", async () => {
      await using rpc = await flakyRpc(world.url, (method) =>
        method === "eth_chainId" ? { result: "0x61" } : null,
      );
      const node = nodeAt(rpc.url);
      const jobId = await paid();
      await payments(db, `refund ${jobId}`);
      const before = await states();
      for (const command of [`refund ${jobId} --withdraw`, `refund ${jobId} --execute`, "refunds"]) {
        const told = await failureOf(payments(db, command, node), Error);
        expect(told.message, command).to.include("chain 97");
      }
      expect(await states()).to.deep.equal(before);
      node.destroy();
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(0);
    });

    it("takes a transfer for one refund alone", async () => {
      for (const job of [await paid(), await paid()]) await payments(db, `refund ${job}`);
      const hash = await sendByHand(payee, buyer.wallet.address, PRICE);
      await payments(db, "refunds --json");
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
      await payments(db, "refunds --json");
      expect(JSON.parse(printed).find((row: any) => row.jobId === jobId).from).to.equal(friend.address);
    });

    it("signs nothing while another account may be sending it, until that is withdrawn", async () => {
      const jobId = await paid();
      const safe = world.accounts.users[6]!.address;
      const before = await held();
      await payments(db, `refund ${jobId} --from ${safe}`);
      expect(await payments(db, `refund ${jobId} --execute`)).to.equal(1);
      expect(errors).to.include(`no key of ${safe}`);
      expect(await payments(db, `refund ${jobId} --execute --from ${payee.address}`)).to.equal(1);
      expect(errors).to.include("--withdraw");
      expect(await held()).to.equal(before);
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(0);
      expect(await payments(db, `refund ${jobId} --execute`), errors).to.equal(0);
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(1);
      expect((await held()) - before).to.equal(PRICE);
    });

    it("pays once when the command is killed before or after any of its questions, and runs again", async function () {
      // The node is what breaks: which database stands behind makes no difference.
      if (engine.name === "postgres") return this.skip();
      for (const when of ["before", "after"] as const)
        for (let step = 1, ended = false; !ended; step++) {
          const jobId = await paid();
          const before = await held();
          ended = (await killed(jobId, when, step)) === 0;
          expect(await payments(db, `refund ${jobId} --execute`), `${when} ${step}: ${errors}`).to.equal(0);
          expect((await held()) - before, `${when} ${step}`).to.equal(PRICE);
          expect(step).to.be.lessThan(60);
        }
    });

    it("signs anew when what it had signed was replaced and moved nothing, and not before", async () => {
      const jobId = await paid();
      const before = await held();
      // Killed after it was written down: the signed transaction never left.
      expect(await killed(jobId, "before", SENDING)).to.equal(1);
      expect((await states()).at(-1)).to.equal("sent");
      await (await payee.sendTransaction({ to: payee.address })).wait();
      expect(await payments(db, `refund ${jobId} --execute`).catch(() => 1)).to.equal(1);
      expect(await payments(db, `refund ${jobId} --withdraw`)).to.equal(1);
      await world.mine(25);
      expect(await payments(db, `refund ${jobId} --execute`), errors).to.equal(0);
      expect((await held()) - before).to.equal(PRICE);
    });

    it("pays each of two that look alike, though both had signed for the same nonce", async () => {
      const [one, other] = [await paid(), await paid()];
      const before = await held();
      await killed(one, "before", SENDING);
      expect(await payments(db, `refund ${other} --execute`), errors).to.equal(0);
      // It is even the same transaction, and the other one has it.
      await payments(db, `refund ${one}`);
      expect(printed).to.include("signed and not mined yet");
      await world.mine(25);
      for (const job of [one, other, one])
        expect(await payments(db, `refund ${job} --execute`), errors).to.equal(0);
      expect((await held()) - before).to.equal(2n * PRICE);
    });

    it("leaves to a refund what was signed for it, when another one of the same amount looks first", async () => {
      const [one, other] = [await paid(), await paid()];
      const before = await held();
      await payments(db, `refund ${other}`);
      // Sent, and killed before it was seen.
      await killed(one, "after", SENDING);
      await payments(db, `refund ${other}`);
      expect(printed).to.include("When it is sent");
      for (const job of [one, other])
        expect(await payments(db, `refund ${job} --execute`), errors).to.equal(0);
      expect((await held()) - before).to.equal(2n * PRICE);
    });

    it("knows its transfer under another hash, when its owner paid more for the same nonce", async () => {
      const jobId = await paid();
      const before = await held();
      await killed(jobId, "before", SENDING);
      await sendByHand(payee, buyer.wallet.address, PRICE);
      await world.mine(25);
      expect(await payments(db, `refund ${jobId} --execute`), errors).to.equal(0);
      expect((await held()) - before).to.equal(PRICE);
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

  it("needs a node of the network, and one way at a time", async () => {
    await using db = await memoryDatabase();
    const job = await addPayment(db, Math.floor(Date.now() / 1_000), { network: "eip155:56" });
    expect(await payments(db, `refund ${job}`)).to.equal(1);
    expect(errors).to.include("No node of eip155:56");
    for (const [typed, words] of [
      ["refund", "one job id"],
      ["refund job_1 --execute --withdraw", "do not go together"],
      ["refund job_1 --confirm 0x12", "--confirm is a transaction's hash"],
      ["refund job_1 --json", "refund takes no --json"],
      ["refunds --execute", "refunds takes no --execute"],
    ] as const)
      expect(() => parseOptions(typed.split(" ")), typed).to.throw(UsageError, words);
  });
});
