/** x402 over MCP, by a client that does what the transport's specification says and no more; the official library signs. */
import { expect } from "chai";
import { JOB_TOOLS } from "../../../api/payments/terms.ts";
import { rowOf } from "../../support/database.ts";
import { approvePermit2, income } from "../../support/dollars.ts";
import { loggerTo, paidWith } from "../../support/http.ts";
import { connectHost, GENERATIONS, toolResult } from "../../support/mcp.ts";
import {
  type Buyer,
  buyerOf,
  buyerWith,
  startPaidService,
  testPaidWorld,
  testPurchase,
} from "../../support/payments.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { BY_PERMIT2, decodeHeader, encodeHeader, PRICE, receiptIn, termsIn } from "../../support/x402.ts";

const PAYMENT = "x402/payment";
const RECEIPT = "x402/payment-response";

describe("x402 over MCP", () => {
  const world = testPaidWorld();
  const log: string[] = [];
  const service = ofSuite(() => startPaidService(world, "sqlite::memory:", {}, { logger: loggerTo(log) }));
  const { charged } = testPurchase(service);
  let buyer: Buyer;
  before(() => {
    buyer = buyerOf(service);
  });

  /** The result of a call; `key` null: without one. */
  const call = (name: string, args: object, payment?: unknown, key: string | null = service.key) =>
    toolResult(service.url, name, args, { key, payment });
  /** The three places where clients of either revision look, in their order. */
  function toldIn(result: any) {
    const text = JSON.parse(result.content[0].text);
    const places = [result.structuredContent, text, text["x402/error"]?.data];
    return places.map(({ x402Version, error, resource, accepts, extensions }) => ({
      x402Version,
      error,
      resource,
      accepts,
      ...(extensions === undefined ? {} : { extensions }),
    }));
  }
  /** Asked, told the terms, paid. */
  async function buy(name: string, args: object, key: string | null = service.key) {
    const unpaid = await call(name, args, undefined, key);
    expect(unpaid.isError, JSON.stringify(unpaid)).to.equal(true);
    const payment = await payFor(unpaid);
    return { payment, result: await call(name, args, payment, key) };
  }
  const newJob = async (): Promise<string> => (await service.newJob()).jobId;
  /** A payment for what a call told. */
  const payFor = (unpaid: any): Promise<any> => buyer.client.createPaymentPayload(toldIn(unpaid)[0] as any);
  const refusal = (result: any) => {
    expect(result.isError).to.equal(true);
    expect(result.structuredContent.error).to.equal(JSON.parse(result.content[0].text).paymentError);
    return result.structuredContent.error;
  };

  it("a tool that sells tells its terms wherever a client of either revision of MCP looks for them, and no other tool sells", async () => {
    const jobId = await newJob();
    const http = await service.call(`/v1/jobs/${jobId}/report`);
    const { accepts, resource } = termsIn(http);
    for (const name of JOB_TOOLS) {
      const result = await call(name, { jobId });
      expect(result.isError).to.equal(true);
      expect(result).to.not.have.property("_meta");
      const [terms, ...copies] = toldIn(result);
      expect(terms).to.deep.include({ x402Version: 2, error: "payment_required", accepts });
      expect(terms!.resource).to.deep.equal({ ...resource, url: `mcp://tool/${name}` });
      for (const copy of copies) expect(copy).to.deep.equal(terms);
      const text = JSON.parse(result.content[0].text);
      expect(text["x402/error"]).to.include({ code: 402, message: text.detail });
      expect(text.detail).to.contain("the same call again").and.not.contain("header");
      expect(text).to.include({ code: "payment_required" }).and.to.include.keys("next", "requestId");
    }
    // What reads, and what records and follows a transaction, sells nothing.
    for (const version of [{}, { version: 1 }]) {
      const { structuredContent: state } = await call("get_verification", { jobId, ...version });
      expect(state).to.include({ jobId, payment: "required", decision: null });
    }
    expect((await call("get_execution_status", { jobId })).structuredContent.execution).to.equal(null);
    const hash = `0x${"7".repeat(64)}`;
    const unpaid = await call("get_execution_status", { jobId, transactionHash: hash });
    expect(unpaid).to.include({ isError: true }).and.to.not.have.property("structuredContent");
  });

  for (const [where, name, args] of [
    ["at purchase_verification", "purchase_verification", {}],
    ["at prepare_guard_trade", "prepare_guard_trade", {}],
    ["at prepare_guard_trade with its calls", "prepare_guard_trade", { include: "call" }],
  ] as const)
    it(`a payment over MCP buys a job ${where}, and only once`, async () => {
      const jobId = await newJob();
      const { payment, result } = await buy(name, { jobId, ...args });
      expect(result.isError, result.content[0].text).to.equal(undefined);
      const receipt = result._meta[RECEIPT];
      const paid = { payer: buyer.wallet.address, amount: PRICE.toString() };
      expect(receipt).to.include({ success: true, network: "eip155:31337", ...paid });
      const { body: job } = await service.call(`/v1/jobs/${jobId}`);
      expect(job.payment).to.include({ state: "settled", transaction: receipt.transaction });
      const again = await call(name, { jobId, ...args }, payment);
      expect(again._meta[RECEIPT]).to.deep.equal(receipt);
      if (name !== "prepare_guard_trade")
        expect(again.structuredContent).to.deep.equal(result.structuredContent);
      // At every other place that sells the job, over HTTP too.
      const bought = await call("purchase_verification", { jobId }, payment);
      expect(bought._meta[RECEIPT]).to.deep.equal(receipt);
      const read = await call("get_verification", { jobId, version: 1 });
      expect(read.structuredContent).to.include({ version: 1, decision: "ALLOW" });
      const path = `/v1/jobs/${jobId}/report?version=1`;
      const http = await service.call(path, paidWith(encodeHeader(payment)));
      expect(receiptIn(http)).to.deep.equal(receipt);
      expect(await charged()).to.equal(PRICE);
    });

  for (const generation of GENERATIONS)
    it(`a payment over MCP may come by what the official client of ${generation} lets its host send along`, async () => {
      const jobId = await newJob();
      await using host = await connectHost(generation, service.url, service.key);
      const { required } = await host.due("prepare_guard_trade", { jobId });
      const payment = await buyer.client.createPaymentPayload(required);
      const paid = await host.call("prepare_guard_trade", { jobId }, { [PAYMENT]: payment });
      expect(paid.structuredContent.version).to.equal(2);
      expect(paid._meta[RECEIPT]).to.include({ success: true, payer: buyer.wallet.address });
    });

  it("a payment over MCP is charged once where it arrives at several tools and paths at the same time", async () => {
    const jobId = await newJob();
    const payment = await payFor(await call("purchase_verification", { jobId }));
    const http = service.call(`/v1/jobs/${jobId}/report`, paidWith(encodeHeader(payment)));
    const tools = ["purchase_verification", "purchase_verification", "prepare_guard_trade"].map((name) =>
      call(name, { jobId }, payment),
    );
    const receipts = [
      decodeHeader((await http).headers.get("payment-response")),
      ...(await Promise.all(tools)).map(({ _meta }) => _meta[RECEIPT]),
    ];
    for (const receipt of receipts) expect(receipt).to.deep.equal(receipts[0]);
    expect(await charged()).to.equal(PRICE);
  });

  it("a payment over MCP may be for the terms that HTTP told", async () => {
    const jobId = await newJob();
    const challenge = await service.call(`/v1/jobs/${jobId}/report`);
    const payment = decodeHeader(await buyer.sign(challenge));
    expect(payment.resource.url).to.match(/^http:.*\/report$/);
    const result = await call("purchase_verification", { jobId }, payment);
    expect(result.structuredContent.payment).to.equal("settled");
    expect(result._meta[RECEIPT].success).to.equal(true);
  });

  it("a payment over MCP for something else buys nothing, and is not charged", async () => {
    const [one, other] = [await newJob(), await newJob()];
    const body = service.verifyBody();
    const forJob = await payFor(await call("purchase_verification", { jobId: one }));
    const forBody = await payFor(await call("prepare_verification", body, undefined, null));
    const buysNothing = async (...asked: Parameters<typeof call>) =>
      expect(refusal(await call(...asked)), JSON.stringify(asked)).to.equal("other_purchase");
    for (const name of JOB_TOOLS)
      for (const payment of [forJob, forBody]) await buysNothing(name, { jobId: other }, payment);
    await buysNothing("prepare_verification", body, forJob, null);
    await buysNothing("prepare_verification", { ...body, amountInRaw: "1000000" }, forBody, null);
    // The right quote under the name of a tool that sells something else, or nothing.
    for (const url of ["mcp://tool/prepare_verification", "mcp://tool/get_execution_status", "mcp://tool/"])
      await buysNothing("prepare_guard_trade", { jobId: one }, { ...forJob, resource: { url } });
    expect(await charged()).to.equal(0n);
    for (const jobId of [one, other])
      expect((await service.call(`/v1/jobs/${jobId}`)).body.payment.state).to.equal("required");
  });

  it("a payment over MCP that is none, was edited, or comes twice in one call is refused, and not charged", async () => {
    const jobId = await newJob();
    for (const nothing of ["text", 5, [], {}, { x402Version: 1 }])
      expect(refusal(await call("prepare_guard_trade", { jobId }, nothing))).to.equal("malformed");
    const unreadable = { jobId, paymentSignature: "bm90aGluZw==" };
    expect(refusal(await call("purchase_verification", unreadable))).to.equal("malformed");
    const payment = await payFor(await call("purchase_verification", { jobId }));
    const cheaper = { ...payment, accepted: { ...payment.accepted, amount: "1" } };
    expect(refusal(await call("purchase_verification", { jobId }, cheaper))).to.equal("not_offered");
    const twice = { jobId, paymentSignature: encodeHeader(payment) };
    const { isError, content } = await call("purchase_verification", twice, payment);
    expect([isError, JSON.parse(content[0].text).code]).to.deep.equal([true, "invalid_request"]);
    const key = `0x${"5e".repeat(32)}`;
    const secret = await call("purchase_verification", { jobId }, { ...payment, note: key });
    expect(JSON.parse(secret.content[0].text)).to.include({ code: "secret_refused" });
    expect(await charged()).to.equal(0n);
  });

  it("a payment over MCP has its receipt although what it paid for failed", async () => {
    const jobId = await newJob();
    const { payment, result } = await buy("prepare_guard_trade", { jobId });
    await call("prepare_guard_trade", { jobId }, payment);
    const third = await call("prepare_guard_trade", { jobId }, payment);
    expect(JSON.parse(third.content[0].text)).to.include({ code: "rate_limited" });
    expect(third._meta[RECEIPT]).to.deep.equal(result._meta[RECEIPT]);
  });

  it("a payment over MCP is noted as delivered once its report was answered", async () => {
    const jobId = await newJob();
    await buy("prepare_guard_trade", { jobId });
    const payment = () => rowOf(service.server.service.db, "payments", { job_id: jobId });
    await until("a note of the delivery", payment, ({ released_at }) => released_at !== null);
  });

  it("a payment over MCP without a key may be in a dollar without EIP-3009, by Permit2", async () => {
    const wallet = walletOf(world, 8);
    await approvePermit2(world, [wallet]);
    const payer = buyerWith(wallet, BY_PERMIT2);
    const body = service.verifyBody({ amountInRaw: "250000777" });
    const [terms] = toldIn(await call("prepare_verification", body, undefined, null));
    const payment: any = await payer.client.createPaymentPayload(terms as any);
    const held = await income(world, BY_PERMIT2);
    for (let again = 0; again < 2; again++) {
      const result = await call("prepare_verification", body, payment, null);
      expect(result.isError, result.content[0].text).to.equal(undefined);
      expect(result._meta[RECEIPT]).to.include({ success: true, amount: BY_PERMIT2.price.toString() });
    }
    expect((await income(world, BY_PERMIT2)) - held).to.equal(BY_PERMIT2.price);
  });

  it("a payment over MCP without a key buys a verification at prepare_verification, which stores nothing before", async () => {
    const body = service.verifyBody({ maxSlippageBps: 41 });
    const jobs = async () =>
      (await service.server.service.db.selectFrom("jobs").select("id").execute()).map(({ id }) => id);
    const before = await jobs();
    const [terms] = toldIn(await call("prepare_verification", body, undefined, null));
    const extensions = Object.keys(terms!.extensions ?? {});
    expect(extensions).to.deep.equal(["payment-identifier"]);
    expect(await jobs()).to.deep.equal(before);
    const { payment, result } = await buy("prepare_verification", body, null);
    const { structuredContent: job, _meta } = result;
    expect(job).to.include({ version: 1, decision: "ALLOW", payment: "settled" });
    const { jobId, jobToken } = job;

    const prepared = await call("prepare_guard_trade", { jobId, jobToken }, undefined, null);
    expect(prepared.structuredContent.version).to.equal(2);
    // The same payment is the same purchase, there as over HTTP.
    const again = await call("prepare_verification", body, payment, null);
    expect(again._meta).to.deep.equal(_meta);
    expect(again.structuredContent).to.include({ jobId, jobToken });
    const http = await service.verify(body, encodeHeader(payment));
    expect(http.body).to.include({ jobId, jobToken });
    expect(receiptIn(http)).to.deep.equal(_meta[RECEIPT]);
    // So is another one of the same payer a moment later, and it says so.
    const { result: second } = await buy("prepare_verification", body, null);
    expect(second.structuredContent.next).to.contain("earlier payment");
    expect(second._meta).to.deep.equal(_meta);
    expect(await charged()).to.equal(PRICE);
  });

  it("a payment over MCP may be an argument, for hosts that do not speak x402", async () => {
    const body = service.verifyBody({ maxSlippageBps: 42 });
    await using host = await connectHost("v1", service.url, null);
    const { required, said } = await host.due("prepare_verification", body);
    expect(said.next).to.contain("prepare_verification again").and.to.contain("paymentSignature");
    const paymentSignature = encodeHeader(await buyer.client.createPaymentPayload(required));
    const job = await host.use("prepare_verification", { ...body, paymentSignature });
    expect(job).to.include({ payment: "settled", decision: "ALLOW" });
  });

  it("a payment over MCP without a key buys no job of a key", async () => {
    const jobId = await newJob();
    const payment = await payFor(await call("purchase_verification", { jobId }));
    const result = await call("purchase_verification", { jobId }, payment, null);
    expect(JSON.parse(result.content[0].text)).to.include({ code: "missing_api_key" });
    expect(await charged()).to.equal(0n);
  });

  it("a payment over MCP leaves nothing of itself in the log", async () => {
    const jobId = await newJob();
    const { payment } = await buy("purchase_verification", { jobId });
    const { authorization, signature } = payment.payload as any;
    const text = log.join("");
    expect(text).to.contain('"rpc":"purchase_verification payment_required"');
    expect(text).to.contain('"rpc":"purchase_verification ok"');
    for (const part of [signature, authorization.nonce, "5e5e5e", "x402/payment", "jt_"])
      expect(text).to.not.contain(part);
  });
});
