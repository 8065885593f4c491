/** The client in the paid phase: a wallet that signs for it, and a `fetch` that pays by itself. */
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { expect } from "chai";
import {
  type AskedTrade,
  createClient,
  PaymentRequired,
  signPayment as signByClient,
  type TypedData,
  type WalletProvider,
} from "../../client/client.ts";
import { type Buyer, buyerOf, testPaidService, testPaidWorld, testPurchase } from "../support/payments.ts";
import { walletOf } from "../support/service.ts";
import { PRICE } from "../support/x402.ts";
import { examplesOf, runCode, runExample } from "./examples.ts";
import { failureOf } from "./failure.ts";

describe("the client in the paid phase", () => {
  const world = testPaidWorld();
  const service = testPaidService(world);
  const { charged } = testPurchase(service);
  let buyer: Buyer;
  const client = () => createClient({ baseUrl: service.url, apiKey: service.key });
  const newJob = () => client().createJob(service.jobBody() as any);
  const signPayment = (challenge: unknown) => buyer.client.createPaymentPayload(challenge as any);

  /** As viem has accounts. */
  const account = () => {
    const signer = walletOf(world);
    const signTypedData = ({ domain, types: { EIP712Domain: _, ...types }, message }: TypedData) =>
      signer.signTypedData(domain, types, message);
    return { address: signer.address, signTypedData };
  };

  before(() => {
    buyer = buyerOf(service);
  });

  it("the client in the paid phase receives the terms, and buys a report once with what the wallet signed", async () => {
    const job = await newJob();
    expect(job.report).to.equal(undefined);
    expect(await failureOf(client().prepare(job.jobId))).to.be.instanceOf(PaymentRequired);
    const asked = await failureOf(client().report(job.jobId));
    if (!(asked instanceof PaymentRequired)) throw asked;
    expect(asked.challenge.accepts[0]?.amount).to.equal(PRICE.toString());
    expect(asked.challenge.resource.url).to.equal(`${service.url}/v1/jobs/${job.jobId}/report`);

    const paymentSignature = await signPayment(asked.challenge);
    const bought = await client().report(job.jobId, { paymentSignature });
    expect(bought.report.decision).to.equal("ALLOW");
    expect(bought.receipt).to.include({
      success: true,
      amount: PRICE.toString(),
      payer: buyer.wallet.address,
    });
    const again = await client().report(job.jobId, { paymentSignature });
    expect(again).to.deep.equal(bought);
    const unpaid = await client().report(job.jobId);
    expect(unpaid.receipt, "the receipt of the job, without a payment").to.deep.equal(again.receipt);
    expect(await charged()).to.equal(PRICE);
    const prepared = await client().prepare(job.jobId);
    expect(prepared.execution).to.not.equal(null);
    // The report of a version keeps what was signed for it.
    expect((await client().report(job.jobId, { version: 2 })).execution).to.deep.equal(prepared.execution);
  });

  it("says why a payment is not taken", async () => {
    const [one, other] = [await newJob(), await newJob()];
    const asked = (await failureOf(client().report(one.jobId))) as PaymentRequired;
    const paymentSignature = await signPayment(asked.challenge);
    const refused = await failureOf(client().report(other.jobId, { paymentSignature }));
    expect(refused).to.be.instanceOf(PaymentRequired);
    expect(refused.members.paymentError).to.equal("other_purchase");
  });

  it("knows nothing of payment with a fetch that pays", async () => {
    const paying = createClient({
      baseUrl: service.url,
      apiKey: service.key,
      fetch: wrapFetchWithPayment(fetch, buyer.client) as typeof fetch,
    });
    const { jobId } = await newJob();
    const { report, receipt } = await paying.report(jobId, { version: 1 });
    expect([report.version, receipt?.success]).to.deep.equal([1, true]);
    const prepared = await paying.prepare((await newJob()).jobId);
    expect(prepared.execution, "bought with the preparation").to.not.equal(null);
  });

  it("the client in the paid phase buys a trade's report within what it may cost, with a key and without, and nothing beyond", async () => {
    const { deployment, accounts, provider, clock } = world;
    const { address } = walletOf(world);
    const wallet: WalletProvider = {
      request: ({ method, params = [] }) => provider.send(method, [...params]),
    };
    const guard = { chainId: deployment.chainId, address: deployment.guard };
    const limit = { network: `eip155:${guard.chainId}`, asset: world.token("USDL"), maxAmount: PRICE };
    const asked = {
      ...service.verifyBody({ amountInRaw: "260000000" }),
      ownerAddress: address,
    } as unknown as AskedTrade;
    const options = { wallet, guard, signer: accounts.attestation.address };
    for (const apiKey of [{ apiKey: service.key }, {}]) {
      const trading = createClient({ baseUrl: service.url, ...apiKey, now: clock.now });
      expect(await failureOf(trading.trade(asked, options))).to.be.instanceOf(PaymentRequired);
      const low = { ...limit, maxAmount: PRICE - 1n };
      const refused = await trading.trade(asked, { ...options, pay: low }).catch((error: Error) => error);
      expect(refused).to.include({ name: "PaymentNotAllowed", code: "too_expensive" });
      const { receipt, confirmed } = await trading.trade(asked, { ...options, pay: limit });
      expect(receipt).to.include({ success: true, amount: PRICE.toString(), payer: address });
      expect(BigInt(confirmed.amountOutRaw) > 0n).to.equal(true);
    }
    expect(await charged()).to.equal(2n * PRICE);

    let [terms, signed] = [Response.error(), 0];
    const counted: WalletProvider = {
      request({ method, params = [] }) {
        if (method === "eth_signTypedData_v4") signed++;
        return wallet.request({ method, params });
      },
    };
    const greedy = createClient({
      baseUrl: service.url,
      now: clock.now,
      async fetch(input, init) {
        const answer = await fetch(input, init);
        if (answer.status === 402) terms = answer.clone();
        return String(input).endsWith("/prepare-execution") ? terms : answer;
      },
    });
    const twice = greedy.trade(asked, { ...options, wallet: counted, pay: limit });
    expect(await failureOf(twice), "asked for a second payment").to.be.instanceOf(PaymentRequired);
    expect(signed).to.equal(1);
  });

  it("pays by the official client as docs/payments.md sets it up, and not without its list of tokens or above its cap", async () => {
    const network = `eip155:${world.deployment.chainId}`;
    const code = examplesOf("docs/payments.md").get("example-official")!;
    const [, USDT] = /asset: "(0x\w+)"/.exec(code)!;
    const scheme = new ExactEvmScheme(account() as never);
    for (const [chain, token] of [
      ["eip155:56", USDT!],
      [network, world.token("USDL")],
    ] as const)
      expect(scheme.findDefaultAsset(token, chain as `eip155:${number}`), chain).to.equal(undefined);
    const local = code.replaceAll("eip155:56", network).replace(USDT!, world.token("USDL"));
    const within = (raw: bigint) => local.replace(/(maxAmountPerPayment: )"\d+"/, `$1"${raw}"`);
    const given = {
      baseUrl: service.url,
      trade: service.verifyBody({ amountInRaw: "270000000" }),
      account: account(),
      ExactEvmScheme,
      wrapFetchWithPayment,
      x402Client,
    };
    const failing = (text: string) => runCode(text, given).catch(({ message }: Error) => message);
    const unlisted = within(PRICE).replace(/^client\.setSpendControls[^;]*;$/m, "");
    expect(await failing(unlisted)).to.include(
      "All payment requirements were rejected by spendControls: only default",
    );
    expect(await failing(within(PRICE - 1n))).to.include("rejected by spendControls.allowedAssets");
    expect(await charged()).to.equal(0n);
    expect(await runCode(within(PRICE), given)).to.deep.equal(["200 ALLOW"]);
    expect(await charged()).to.equal(PRICE);
  });

  it("tells a client the price and the input before there is a trade", async () => {
    const open = createClient({ baseUrl: service.url });
    expect(await failureOf(open.describeVerify())).to.be.instanceOf(PaymentRequired);
    expect(await open.verifyInput()).to.have.all.keys("schema", "example");
  });

  it("runs the README's example of one-shot verification, which pays", async () => {
    const wallet = account();
    const { chainId } = world.deployment;
    const limit = { network: `eip155:${chainId}`, asset: world.token("USDL"), maxAmount: PRICE };
    const given = { baseUrl: service.url, signPayment: signByClient, wallet, limit };
    const lines = await runExample("example-verify", given);
    expect(lines[0]).to.match(/^ALLOW 0x[0-9a-f]{64}$/);
    expect(await charged()).to.equal(PRICE);
  });
});
