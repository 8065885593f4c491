import { expect } from "chai";
import { Signature } from "ethers";
import { createSender, sendBatch } from "../../../devnet/sender.ts";
import { forEachEngine, type TestEngine } from "../../support/database.ts";
import { approvePermit2, dollarDomain, TRANSFER_AUTHORIZATION, tokenOf } from "../../support/dollars.ts";
import { type Answer, insisted, loggerTo, paidWith, retryAfter } from "../../support/http.ts";
import { toolResult } from "../../support/mcp.ts";
import { FOREIGN_WORDS, testFacilitator } from "../../support/paymentFacilitator.ts";
import { startPaidService, stateOf, testPaidWorld, testSale } from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import {
  cancelAuthorization,
  decodeHeader,
  encodeHeader,
  receiptIn,
  signByHand,
  WAYS,
  type Way,
} from "../../support/x402.ts";

/** Room for a loaded machine; what hangs is waited for so long. */
const TIMEOUT_MS = 2_000;

const identified = (id: string) => ({ "payment-identifier": { info: { required: false, id } } });

describe("a purchase", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const log: string[] = [];
  before(() => approvePermit2(world, [walletOf(world), walletOf(world, 1)]));

  // SQLite by EIP-3009 and PostgreSQL by Permit2: what is stored differs by the name of a nonce.
  const cases = (suite: (engine: TestEngine, way: Way) => void) =>
    forEachEngine((engine) => {
      for (const way of engine.name === "sqlite" ? WAYS.slice(0, 1) : WAYS.slice(1))
        describe(`by ${way.title}`, () => suite(engine, way));
    });
  cases((engine, way) => {
    let databaseUrl: string;
    const service = ofSuite(async () => {
      databaseUrl = await engine.createUrl();
      const own = { FACILITATOR_KEY: "facilitator-key-1", FACILITATOR_TIMEOUT_MS: String(TIMEOUT_MS) };
      const env = { FACILITATOR_URL: facilitator.url, ...own };
      return startPaidService(world, databaseUrl, env, { logger: loggerTo(log) });
    });
    const sale = testSale(service, way);
    const { buyer, charged, state } = sale;
    const answers: Answer[] = [];
    afterEach(() => {
      // Nothing of the facilitator's words, and nothing of the payment, ever goes out.
      const said = `${answers.map(({ text }) => text).join()}${log.join()}`;
      expect(said).not.to.include(FOREIGN_WORDS).and.not.include("facilitator-key-1");
      expect(said).not.to.include(decodeHeader(sale.signature).payload.signature);
      answers.length = 0;
    });

    async function ask(given: string | null = sale.signature): Promise<Answer> {
      const answer = await service.verify(sale.body, given ?? undefined);
      answers.push(answer);
      return answer;
    }
    const outcome = ({ status, body: { code, paymentError } }: Answer) =>
      paymentError === undefined ? [status, code] : [status, code, paymentError];
    /** Asks again and again, as Retry-After says, but faster. */
    async function insist(given: string | null = sale.signature): Promise<Answer> {
      return insisted(async () => {
        const answer = await ask(given);
        if ([409, 503].includes(answer.status)) expect(retryAfter(answer)).to.be.greaterThan(0);
        return answer;
      });
    }
    async function delivered(answer: Answer): Promise<void> {
      expect(outcome(answer)).to.deep.equal([200, undefined]);
      expect(await sale.outcome()).to.deep.equal(["settled", way.price]);
    }
    describe("whose facilitator lies", () => {
      const thief = () => walletOf(world, 1);

      it("a purchase whose facilitator calls a forged signature valid gives the forger nothing that the payer bought or owes", async () => {
        await delivered(await insist());
        facilitator.verifyFault = "credulous";
        const { settlements, verifications } = facilitator;
        const forge = async (challenge: Answer) =>
          signByHand(world, challenge, thief(), { from: buyer.wallet.address }, way);
        const forged = await forge(await ask(null));
        expect(outcome(await ask(forged))).to.deep.equal([402, "payment_required", "wrong_signature"]);
        const named = { ...decodeHeader(forged), extensions: identified("somebody-elses-1") };
        expect(outcome(await ask(encodeHeader(named)))[2]).to.equal("wrong_signature");
        const payment = decodeHeader(forged);
        const result = await toolResult(service.url, "prepare_verification", sale.body, { payment });
        expect(JSON.stringify(result)).to.include("wrong_signature").and.not.include("jobToken");
        const path = await service.newReport();
        const ofJob = await forge(await service.call(path));
        expect(outcome(await service.call(path, paidWith(ofJob)))[2]).to.equal("wrong_signature");
        for (const one of [forged, ofJob]) expect(await stateOf(service, one)).to.equal(undefined);
        // The facilitator is not troubled with it.
        expect([facilitator.settlements, facilitator.verifications]).to.deep.equal([
          settlements,
          verifications,
        ]);
      });

      it("a purchase whose facilitator lies is its signer's, whomever the facilitator names as the payer", async () => {
        const first = await insist();
        Object.assign(facilitator, { verifyFault: "credulous", payer: buyer.wallet.address });
        const own = await signByHand(world, await ask(null), thief(), {}, way);
        const answer = await insist(own);
        expect([answer.status, answer.headers.get("idempotent-replayed")]).to.deep.equal([200, null]);
        expect(answer.body.jobId).not.to.equal(first.body.jobId);
        expect(receiptIn(answer).payer).to.equal(thief().address);
        expect(await charged()).to.equal(2n * way.price);
      });

      it("a purchase whose facilitator lies is not paid by the transaction of another purchase", async () => {
        const paid = await insist();
        facilitator.lie = receiptIn(paid).transaction;
        facilitator.settleFault = "lie";
        sale.body = sale.another();
        sale.signature = await buyer.sign(await ask(null));
        expect(outcome(await ask())).to.deep.equal([503, "upstream_unavailable"]);
        expect(await sale.outcome()).to.deep.equal(["settling", way.price]);
        facilitator.settleFault = null;
        expect((await insist()).status).to.equal(200);
        expect(await charged()).to.equal(2n * way.price);
      });
    });

    it("a purchase is shown to the facilitator with the service's key, and without what is bought", async () => {
      await delivered(await insist());
      for (const path of ["/verify", "/settle"]) {
        const request = facilitator.requests.findLast((candidate) => candidate.path === path);
        expect(request?.authorization).to.equal("Bearer facilitator-key-1");
      }
      const sent = JSON.stringify(facilitator.requests.at(-1)?.body);
      expect(sent).to.include(`"amount":"${way.price}"`).and.not.include("quote").and.not.include("body:0x");
    });

    for (const fault of ["hang", "error", "garbage"] as const)
      it(`a purchase waits for a facilitator whose verify is in the state "${fault}", and charges nothing meanwhile`, async () => {
        facilitator.verifyFault = fault;
        const { settlements } = facilitator;
        expect(outcome(await ask())).to.deep.equal([503, "upstream_unavailable"]);
        expect(await state()).to.equal(undefined);
        expect(facilitator.settlements).to.equal(settlements);
        expect(await charged()).to.equal(0n);
        facilitator.verifyFault = null;
        await delivered(await insist());
      });

    for (const fault of ["hang", "error", "refuse", "lie"] as const)
      it(`a purchase stays open when settling ends in "${fault}", asks for no other payment, and is charged once later`, async () => {
        facilitator.settleFault = fault;
        expect(outcome(await ask())).to.deep.equal([503, "upstream_unavailable"]);
        expect(await sale.outcome()).to.deep.equal(["settling", 0n]);
        const unpaid = await sale.challenge();
        expect(outcome(unpaid)).to.deep.equal([409, "payment_in_progress"]);
        expect(unpaid.headers.has("payment-required")).to.equal(false);
        facilitator.settleFault = null;
        await delivered(await insist());
      });

    for (const fault of ["settle-then-error", "settle-then-refuse", "settle-then-hang", "late"] as const)
      it(`a purchase is seen on the chain to be paid when the facilitator's settle ends in "${fault}"`, async () => {
        facilitator.settleFault = fault;
        facilitator.lateMs = 2 * TIMEOUT_MS;
        await delivered(await ask());
      });

    it("a purchase that is settled after the service gave up is found by the reconciler, and delivered", async () => {
      facilitator.settleFault = "settle-late";
      facilitator.lateMs = 2 * TIMEOUT_MS;
      expect(outcome(await ask())).to.deep.equal([503, "upstream_unavailable"]);
      // Nobody asks again; its timer alone brings it to the end.
      await until("the settlement", state, (seen) => seen === "settled");
      expect(await state()).to.equal("settled");
      await delivered(await insist());
    });

    it("a purchase whose authorization is cancelled before it is settled is not charged, and can be paid anew", async () => {
      facilitator.beforeSettle = () => cancelAuthorization(world, buyer.wallet, sale.signature);
      expect(outcome(await insist())).to.deep.equal([402, "payment_required", "cancelled"]);
      expect(await sale.outcome()).to.deep.equal(["expired", 0n]);
      facilitator.beforeSettle = async () => {};
      expect(outcome(await insist())).to.deep.equal([402, "payment_required", "cancelled"]);
      sale.signature = await buyer.sign(await ask(null));
      await delivered(await insist());
    });

    const byEip3009 = way.method === "eip3009" ? it : () => {};
    byEip3009(
      "a purchase is not paid by another transfer of its amount in its nonce's transaction",
      async () => {
        const given = decodeHeader(sale.signature).payload.authorization;
        const call = async (changes: object) => {
          const authorization = { ...given, ...changes };
          const signed = [dollarDomain(world), TRANSFER_AUTHORIZATION, authorization] as const;
          const { r, s, v } = Signature.from(await buyer.wallet.signTypedData(...signed));
          const { from, to, value, validAfter, validBefore, nonce } = authorization;
          const args = [from, to, value, validAfter, validBefore, nonce, v, r, s];
          const { interface: token } = tokenOf(world, "USDL");
          const data = token.encodeFunctionData("transferWithAuthorization", args);
          return { to: world.token("USDL"), data };
        };
        facilitator.beforeSettle = async () => {
          const { publisher } = world.accounts;
          await sendBatch(createSender(world.chain, publisher), world.market.publisher, [
            await call({ to: buyer.wallet.address }),
            await call({ nonce: `0x${given.nonce.slice(4)}aa` }),
          ]);
        };
        expect(outcome(await insist())).to.deep.equal([402, "payment_required", "cancelled"]);
        expect(await state()).to.equal("expired");
      },
    );

    it("a purchase is never called uncharged to a copy that was looked at while the first one was settled", async () => {
      const path = await service.newReport();
      const ofJob = await buyer.sign(await service.call(path));
      for (const request of [() => ask(), () => service.call(path, paidWith(ofJob))]) {
        let copies: Promise<Answer>[] = [];
        let asked = 0;
        // The second waits at the facilitator until the first is paid for: its nonce is used by then.
        facilitator.beforeVerify = async () => {
          if (++asked === 2) await Promise.race(copies);
        };
        copies = [request(), request()];
        const answers = await Promise.all(copies);
        for (const answer of answers) expect(outcome(answer), answer.text).to.deep.equal([200, undefined]);
        expect(asked).to.equal(2);
        const receipts = answers.map(({ headers }) => headers.get("payment-response"));
        expect(receipts[0]).to.be.a("string").and.equal(receipts[1]);
      }
      expect(await charged()).to.equal(2n * way.price);
    });

    it("a purchase asked for at two processes at once is settled once, and both deliver it", async () => {
      await using other = await startPaidService(world, databaseUrl, { FACILITATOR_URL: facilitator.url });
      const { settlements } = facilitator;
      const copies = [service, other, service, other].map((process) =>
        insisted(() => process.verify(sale.body, sale.signature), [409]),
      );
      for (const copy of await Promise.all(copies)) await delivered(copy);
      expect(facilitator.settlements).to.equal(settlements + 1);
    });

    it("a purchase for a job that is being paid for is neither asked for nor taken a second time", async () => {
      const { jobId } = await service.newJob();
      const path = `/v1/jobs/${jobId}/report`;
      const challenge = await service.call(path);
      const [first, second] = [await buyer.sign(challenge), await buyer.sign(challenge)];
      facilitator.settleFault = "error";
      expect((await service.call(path, paidWith(first))).status).to.equal(503);
      expect((await service.call(`/v1/jobs/${jobId}`)).body.payment.state).to.equal("settling");
      const { verifications } = facilitator;
      for (const init of [{}, paidWith(second)])
        expect(outcome(await service.call(path, init))).to.deep.equal([409, "payment_in_progress"]);
      expect(facilitator.verifications).to.equal(verifications);
      facilitator.settleFault = null;
      expect((await service.call(path, paidWith(first))).status).to.equal(200);
      expect((await service.call(path, paidWith(second))).status).to.equal(200);
      expect(await charged()).to.equal(way.price);
    });

    it("a purchase for a job, asked for ten times at once with ten authorizations, is charged once", async () => {
      const path = await service.newReport();
      const challenge = await service.call(path);
      const signatures = await Promise.all(Array.from({ length: 10 }, () => buyer.sign(challenge)));
      const copies = await Promise.all(signatures.map((given) => service.call(path, paidWith(given))));
      for (const { status } of copies) expect([200, 409, 503]).to.include(status);
      expect(copies.filter(({ status }) => status === 200)).to.have.length.greaterThan(0);
      expect(await charged()).to.equal(way.price);
      expect((await service.call(path)).status).to.equal(200);
    });
  });
});
