/** What is offered at which price, how deep a transfer must be, and what stays when settings change. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { TOOLS } from "../../../api/mcp/tools.ts";
import type { Payment } from "../../../api/payments/payload.ts";
import { acceptedTerms, JOB_TOOLS } from "../../../api/payments/terms.ts";
import type { PaymentOption } from "../../../api/settings/paymentOptions.ts";
import { localOptions } from "../../../devnet/facilitator.ts";
import { createSender } from "../../../devnet/sender.ts";
import type { LocalDollar } from "../../../types/contracts/devnet/contracts/LocalDollar.ts";
import { LocalDollar__factory } from "../../../types/contracts/factories/devnet/contracts/LocalDollar__factory.ts";
import { SmartDollar__factory } from "../../../types/contracts/factories/test/support/contracts/tokens/SmartDollar__factory.ts";
import { KeyWallet__factory } from "../../../types/contracts/factories/test/support/contracts/wallets/Wallets.sol/KeyWallet__factory.ts";
import { rowOf } from "../../support/database.ts";
import { income } from "../../support/dollars.ts";
import { expectStatus, json, paidWith } from "../../support/http.ts";
import { buyerOf, databaseIn, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { type Service, startService, walletOf } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import {
  decodeHeader,
  encodeHeader,
  expectUnpaid,
  PRICE,
  receiptIn,
  signByHand,
} from "../../support/x402.ts";

describe("the terms of a sale", () => {
  const world = testPaidWorld();
  let service: Service | undefined;
  let database: string;
  let held: bigint;
  let files = 0;
  beforeEach(async () => {
    database = databaseIn(world);
    held = await income(world);
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  const charged = async () => (await income(world)) - held;
  const dollar = () => localOptions(world.deployment)[0] as PaymentOption;
  /** A token of its own, of which somebody has a million raw units. */
  async function minted(
    factory: LocalDollar__factory | SmartDollar__factory,
    to: string,
  ): Promise<LocalDollar> {
    const deployer = createSender(world.chain, world.accounts.deployer);
    const asset = await deployer.deploy(await factory.getDeployTransaction(deployer.address));
    const token = LocalDollar__factory.connect(asset, world.provider);
    const data = token.interface.encodeFunctionData("mint", [[to], 1_000_000n]);
    await deployer.send({ to: asset, data });
    return token;
  }
  /** A service with these ways to pay, in the place of the one before. */
  async function withOptions(options: readonly object[], env: Record<string, string> = {}): Promise<Service> {
    await service?.stop();
    const path = join(world.dataDir, `options-${++files}.json`);
    await writeFile(path, JSON.stringify({ options }));
    service = await startPaidService(world, database, { PAYMENT_OPTIONS_FILE: path, ...env });
    return service;
  }

  it("the terms of a sale are offered in every configured token, and any one of them will do", async () => {
    const token = await minted(new LocalDollar__factory(), world.accounts.users[0]!.address);
    const other = await token.getAddress();
    const payee = world.accounts.users[5]!.address;
    const here = await withOptions([
      dollar(),
      { ...dollar(), asset: other, prices: { "*": "777", STRICT_LIVE: "555" }, payTo: payee },
    ]);
    const challenge = await here.verify(here.verifyBody());
    expect(challenge.body.accepts.map(({ asset, amount }: any) => [asset, amount])).to.deep.equal([
      [world.token("USDL"), "10000"],
      [other, "555"],
    ]);
    const buyer = buyerOf(here);
    buyer.client.registerPolicy((_version, requirements) =>
      requirements.filter(({ asset }: any) => asset === other),
    );
    expectStatus(await buyer.pay("/a2mcp/verify", json(here.verifyBody({ policyId: "STRICT_LIVE" }))), 200);
    expect(await token.balanceOf(payee)).to.equal(555n);
    expect(await charged()).to.equal(0n);
    const lastClose = await here.verify(here.verifyBody({ policyId: "LAST_CLOSE" }));
    expect(lastClose.body.accepts[1].amount).to.equal("777");
  });

  it("the terms of a sale can be met by a contract wallet where the token takes its signatures (ERC-1271)", async () => {
    const key = walletOf(world);
    const wallet = await (await new KeyWallet__factory(key).deploy(key.address)).waitForDeployment();
    const from = await wallet.getAddress();
    const token = await minted(new SmartDollar__factory(), from);
    const asset = await token.getAddress();
    const here = await withOptions([{ ...dollar(), asset }]);
    const body = here.verifyBody();
    const signature = await signByHand(world, await here.verify(body), key, { from });
    const paid = expectStatus(await here.verify(body, signature), 200);
    expect(receiptIn(paid).payer).to.equal(from);
    expect(await token.balanceOf(from)).to.equal(1_000_000n - PRICE);
    // Signed by somebody else it buys nothing.
    const stranger = await signByHand(world, await here.verify(body), buyerOf(here, 1).wallet, { from });
    expectUnpaid(await here.verify(body, stranger), "wrong_signature");
  });

  it("a transfer counts when it is as deep as configured, and the request waits for it", async () => {
    const here = await withOptions([{ ...dollar(), confirmations: 3 }]);
    const body = here.verifyBody();
    const signature = await buyerOf(here).sign(await here.verify(body));
    let answered = false;
    const asked = here.verify(body, signature).finally(() => (answered = true));
    await until("the charge", charged);
    await sleep(1_200);
    expect(answered).to.equal(false);
    expect((await rowOf(here.server.service.db, "payments")).state).to.equal("settling");
    await world.mine(2);
    expect((await asked).status).to.equal(200);
    expect(await charged()).to.equal(PRICE);
  });

  it("the terms of a sale are frozen on a job: a new price is for new jobs", async () => {
    let here = await withOptions([dollar()]);
    const { key } = here;
    const path = await here.newReport();
    const old = await here.call(path);
    here = await withOptions([{ ...dollar(), prices: { "*": "99999" } }]);
    const challenge = await here.call(path, { key });
    expect(challenge.body.accepts).to.deep.equal(old.body.accepts);
    const signature = await buyerOf(here).sign(challenge);
    expect((await here.call(path, { ...paidWith(signature), key })).status).to.equal(200);
    expect(await charged()).to.equal(PRICE);
    expect((await here.newJob()).payment.requirements[0].amount).to.equal("99999");
  });

  it("terms that changed after a 402 without a job are sent anew, and nothing is charged by the old ones", async () => {
    let here = await withOptions([dollar()]);
    const body = here.verifyBody();
    const signature = await buyerOf(here).sign(await here.verify(body));
    here = await withOptions([{ ...dollar(), prices: { "*": "99999" } }]);
    const answer = expectUnpaid(await here.verify(body, signature), "not_offered");
    expect(answer.body.accepts[0].amount).to.equal("99999");
    expect(await charged()).to.equal(0n);
  });

  it("terms that changed after a purchase take nothing from who has paid", async () => {
    let here = await withOptions([dollar()]);
    const body = here.verifyBody();
    const signature = await buyerOf(here).sign(await here.verify(body));
    const paid = await here.verify(body, signature);
    here = await withOptions([{ ...dollar(), prices: { "*": "99999" } }]);
    const again = await here.verify(body, signature);
    expect([again.status, again.body.jobId]).to.deep.equal([200, paid.body.jobId]);
  });

  it("a job that was made free of charge stays free in the paid phase", async () => {
    service = await startService(world, database);
    const { key } = service;
    const job = await service.newJob();
    const here = await withOptions([dollar()]);
    const report = expectStatus(await here.call(`/v1/jobs/${job.jobId}/report`, { key }), 200);
    expect(report.headers.has("payment-response")).to.equal(false);
    const { body: same } = await here.call(`/v1/jobs/${job.jobId}`, { key });
    expect(same.payment).to.deep.equal({ phase: "free", state: "not_required" });
  });

  it("the terms of a sale name the resource by PUBLIC_URL, not by a request's Host", async () => {
    const here = await withOptions([dollar()], { PUBLIC_URL: "https://assay.example.com/api" });
    const headers = { "content-type": "application/json", "x-forwarded-host": "evil.example" };
    const challenge = await here.call("/a2mcp/verify", { ...json(here.verifyBody()), key: null, headers });
    expect(challenge.body.resource.url).to.equal("https://assay.example.com/api/a2mcp/verify");
    const signature = await buyerOf(here).sign(challenge);
    const body = here.verifyBody();
    expect((await here.verify(body, signature)).status).to.equal(200);
    const other = decodeHeader(await buyerOf(here).sign(await here.verify(body)));
    other.resource.url = "https://assay.example.com/api/v1/other";
    expectUnpaid(await here.verify(body, encodeHeader(other)), "other_purchase");
  });
});

describe("the resource that a payment names", () => {
  const terms = {
    scheme: "exact" as const,
    network: "eip155:1" as const,
    asset: "0x1",
    amount: "1",
    payTo: "0x2",
    maxTimeoutSeconds: 60,
    extra: { quote: "job:job_1" },
  };
  const sale = { path: "/v1/jobs/job_1/report", description: "", tools: JOB_TOOLS, accepts: [terms] };
  const accepts = (url: string) => {
    const payment = { x402Version: 2, resource: { url }, accepted: terms, payload: {} } as unknown as Payment;
    try {
      return acceptedTerms(sale, payment) === terms;
    } catch (error) {
      expect(error).to.include({ refusal: "other_purchase" });
      return false;
    }
  };

  it("the resource that a payment names is one of the tools that sell it, or its path on any host", () => {
    expect(TOOLS.filter(({ sells }) => sells).map(({ name }) => name)).to.deep.equal(JOB_TOOLS);
    for (const tool of JOB_TOOLS) expect(accepts(`mcp://tool/${tool}`), tool).to.equal(true);
    expect(accepts("https://assay.example.com/behind/v1/jobs/job_1/report")).to.equal(true);
  });

  it("a payment that names any other resource is refused", () => {
    const others = fc.oneof(
      fc.constantFrom(...TOOLS.map(({ name }) => name), "", "purchase_verification/", "../get_verification"),
      fc.string(),
    );
    fc.assert(
      fc.property(others, (name) => {
        fc.pre(!JOB_TOOLS.some((tool) => tool === name));
        expect(accepts(`mcp://tool/${name}`), name).to.equal(false);
      }),
    );
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(accepts(url), url).to.equal(false);
      }),
    );
  });
});
