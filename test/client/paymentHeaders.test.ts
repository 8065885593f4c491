/** What the client makes of x402's headers: terms that it is told, payments that it sends, and receipts. */
import { expect } from "chai";
import { type Client, PaymentRequired } from "../../client/client.ts";
import { json, status } from "../support/providers/upstream.ts";
import { encodeHeader } from "../support/x402.ts";
import { failingService, failureOf, HASH, problem } from "./failure.ts";

describe("a payment by the client", () => {
  const { upstream, slept, make } = failingService();
  let client: Client;
  beforeEach(() => {
    client = make();
  });

  const accepts = [
    {
      scheme: "exact",
      network: "eip155:31337",
      asset: `0x${"22".repeat(20)}`,
      amount: "10000",
      payTo: `0x${"33".repeat(20)}`,
      maxTimeoutSeconds: 300,
      extra: { name: "Local Dollar", version: "1" },
    },
  ];
  const resource = { url: "https://example.org/v1/jobs/job_1/report" };
  const challenge = { x402Version: 2, resource, accepts };
  const payer = `0x${"44".repeat(20)}`;
  const receipt = { success: true, transaction: HASH, network: "eip155:31337", payer };

  it("a payment by the client is asked for with the decoded challenge and the header as it came", async () => {
    const header = encodeHeader({ ...challenge, resource: { ...resource, description: "für dich" } });
    upstream.reply(problem(402, "payment_required", { "payment-required": header }));
    const failure = await failureOf(client.report("job_1"));
    if (!(failure instanceof PaymentRequired)) throw failure;
    expect([failure.status, failure.code, failure.header]).to.deep.equal([402, "payment_required", header]);
    expect(failure.challenge.accepts).to.deep.equal(accepts);
    expect(failure.challenge.resource.description).to.equal("für dich");
    expect(upstream.asked).to.have.length(1);
  });

  it("a 402 needs no body, but a header that says how to pay", async () => {
    upstream.reply(status(402, "", { "payment-required": encodeHeader(challenge) }));
    expect(await failureOf(client.verify({} as never))).to.be.instanceOf(PaymentRequired);
    const odd = [{ x402Version: 1 }, { accepts: [] }].map((one) => encodeHeader({ ...challenge, ...one }));
    for (const header of ["", "not base64!", ...odd]) {
      upstream.reply(problem(402, "payment_required", { "payment-required": header }));
      const failure = await failureOf(client.verify({} as never));
      expect(failure).to.not.be.instanceOf(PaymentRequired);
      expect(failure.code).to.equal("unexpected_answer");
    }
  });

  it("a payment goes out with the call, as text or as JSON, and its receipt comes back", async () => {
    const paid = { "payment-response": encodeHeader(receipt) };
    upstream.reply(json({ jobId: "odd" }, 200, paid));
    const unread = await failureOf(client.report("job_1", { version: 2, paymentSignature: "c2lnbmVk" }));
    expect(unread.receipt, "also of an answer that cannot be read").to.deep.equal(receipt);
    await failureOf(client.prepare("job_1", { paymentSignature: { x402Version: 2, name: "ü" } }));
    const [report, prepare] = upstream.asked;
    expect(report!.path).to.equal("/v1/jobs/job_1/report?version=2");
    expect(report!.headers["payment-signature"]).to.equal("c2lnbmVk");
    expect(prepare!.headers["payment-signature"]).to.equal(encodeHeader({ x402Version: 2, name: "ü" }));
    expect(prepare!.body, "the payment is no part of the body").to.deep.equal({});
  });

  it("a one-shot verification with a payment is tried again, for the same payment gets the same report", async () => {
    upstream.reply(problem(503, "upstream_unavailable", { "retry-after": "5" }));
    await failureOf(client.verify({} as never, { paymentSignature: "c2lnbmVk" }));
    const signatures = upstream.asked.map(({ headers }) => headers["payment-signature"]);
    expect(signatures).to.deep.equal(Array(3).fill("c2lnbmVk"));
  });

  it("a payment that a wallet refuses rejects with the wallet's own error", async () => {
    const refusal = new Error("above 1 USD");
    const wallet = make({ fetch: () => Promise.reject(refusal) });
    const thrown = await wallet.report("job_1").catch((error: unknown) => error);
    expect(thrown).to.equal(refusal);
    expect(slept).to.deep.equal([]);
  });
});
