/** The paying agent against services that are not what they should be: it pays what its user allowed, or nothing. */
import { expect } from "chai";
import { createPayer, Unpaid } from "../../../cli/agent/pay.ts";
import { createClient } from "../../../client/client.ts";
import { dollarsOf } from "../../support/dollars.ts";
import { localServer } from "../../support/ports.ts";
import { walletOf } from "../../support/service.ts";
import { ofSuite } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";
import { decodeHeader, encodeHeader } from "../../support/x402.ts";

describe("an agent that may pay ten cents", () => {
  const world = testWorld();
  /** What the service asks for with each request in turn; the last one goes on. */
  let asked: object[];
  let payments: string[];
  let lines: string[];

  const server = ofSuite(() =>
    localServer((request, response) => {
      const payment = request.headers["payment-signature"];
      if (typeof payment === "string") payments.push(payment);
      const terms = asked.length > 1 ? asked.shift() : asked[0];
      const challenge = { x402Version: 2, resource: { url: `${server.url}/x` }, accepts: [terms] };
      const headers = { "payment-required": encodeHeader(challenge), "content-type": "application/json" };
      response.writeHead(402, headers).end("{}");
    }),
  );
  beforeEach(() => {
    payments = [];
    lines = [];
  });

  const terms = (changes: object = {}) => ({
    scheme: "exact",
    network: "eip155:31337",
    asset: world.token("USDL"),
    amount: "10000",
    payTo: world.accounts.payee.address,
    maxTimeoutSeconds: 300,
    extra: { name: "Local Dollar", version: "1" },
    ...changes,
  });
  const payer = (allowed = true) =>
    createPayer({
      wallet: walletOf(world),
      purse: {
        network: "eip155:31337",
        asset: world.token("USDL"),
        symbol: "USDL",
        decimals: 6,
        // Ten cents.
        maxPrice: 100_000n,
      },
      allowed,
      log: (line) => lines.push(line),
    });
  const client = () => createClient({ baseUrl: server.url, apiKey: "ak_test", retries: 0 });
  const buy = (allowed?: boolean) =>
    payer(allowed).buy((paymentSignature) =>
      client().report("job_1", paymentSignature === undefined ? {} : { paymentSignature }),
    );
  async function refusal(work: () => Promise<unknown>): Promise<string> {
    const before = await dollarsOf(world, walletOf(world).address);
    const error = await work().then(
      () => expect.fail("it should have refused"),
      (failure: unknown) => failure,
    );
    expect(error, String(error)).to.be.instanceOf(Unpaid);
    expect(payments, "nothing signed leaves the agent").to.deep.equal([]);
    expect(await dollarsOf(world, walletOf(world).address)).to.equal(before);
    return (error as Error).message;
  }

  it("tells the price and signs nothing when it may not pay", async () => {
    asked = [terms()];
    expect(await refusal(() => buy(false))).to.include("costs 0.01 USDL");
    expect(lines[0]).to.include("0.01 USDL (10000 raw units of");
  });

  it("refuses a price above its limit", async () => {
    asked = [terms({ amount: "100001" })];
    expect(await refusal(buy)).to.include("0.100001 USDL, more than --max-price 0.1 USDL");
  });

  it("refuses other tokens, networks and schemes", async () => {
    for (const other of [
      { asset: world.token("AAPLx") },
      { network: "eip155:1" },
      { scheme: "upto" },
      { amount: "-1" },
    ]) {
      asked = [terms(other)];
      expect(await refusal(buy)).to.include("takes no payment in");
    }
  });

  it("refuses terms by which a payment could be cashed for more than an hour", async () => {
    asked = [terms({ maxTimeoutSeconds: 86_400 })];
    expect(await refusal(buy)).to.include("Nothing was signed");
  });

  it("sends one payment for what it was told, though the service then refuses it or asks for more", async () => {
    for (const next of [terms(), terms({ amount: "5000000" })]) {
      payments = [];
      asked = [terms(), next];
      const error = await buy().catch((failure: unknown) => failure);
      expect(error).to.include({ code: "payment_required" });
      expect(payments).to.have.length(1);
      expect(decodeHeader(payments[0] as string).payload.authorization.value).to.equal("10000");
    }
  });
});
