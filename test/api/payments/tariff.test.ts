/** Prices by policy and by the size of the trade: told beforehand, and what the challenge then asks. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { POLICIES } from "../../../attestor/policies/policy.ts";
import { localOptions } from "../../../devnet/facilitator.ts";
import { income } from "../../support/dollars.ts";
import { expectStatus } from "../../support/http.ts";
import { buyerOf, databaseIn, startPaidService, testPaidWorld } from "../../support/payments.ts";
import { ofSuite } from "../../support/suite.ts";
import { expectUnpaid } from "../../support/x402.ts";

describe("the tariff", () => {
  const world = testPaidWorld();
  const keyOf = (symbol: string) => `eip155:31337:${world.token(symbol)}`;
  const [DOLLAR, PRICED, UNPRICED] = ["USDL", "AAPLx", "NVDAx"] as const;
  const policies = [...POLICIES.keys()];

  const service = ofSuite(async () => {
    const [dollar] = localOptions(world.deployment);
    const path = join(world.dataDir, "tariff.json");
    const prices = {
      STRICT_LIVE: [
        { upTo: "1000", price: "10000" },
        { upTo: "25000.5", price: "20000" },
        { price: "50000" },
      ],
      "*": "7000",
    };
    const dollarsPerToken = { [keyOf(PRICED)]: "230.5" };
    await writeFile(path, JSON.stringify({ options: [{ ...dollar, prices }], dollarsPerToken }));
    return startPaidService(world, databaseIn(world), { PAYMENT_OPTIONS_FILE: path });
  });

  const probe = (query: Record<string, string> = {}) =>
    service.call(`/a2mcp/verify?${new URLSearchParams(query)}`, { key: null });
  const buys = (amountInRaw: string) =>
    service.verifyBody({ inputAssetKey: keyOf(DOLLAR), outputAssetKey: keyOf(PRICED), amountInRaw });
  const sells = (symbol: string, amountInRaw: string) =>
    service.verifyBody({ inputAssetKey: keyOf(symbol), outputAssetKey: keyOf(DOLLAR), amountInRaw });
  const asked = async (body: Record<string, unknown>) => (await service.verify(body)).body.accepts[0].amount;

  /** What a buyer makes of the published tariff, with nothing but arithmetic. */
  function computed(tariff: any, policyId: string, inputAssetKey: string, amountInRaw: string): string {
    const input = tariff.inputs.find(({ assetKey }: any) => assetKey === inputAssetKey);
    const { tiers } = tariff.prices.find((price: any) => price.policyId === policyId);
    // Over the common denominator 10 ** 40.
    const exact = (text: string) => {
      const [whole, fraction = ""] = text.split(".");
      return BigInt(`${whole}${fraction.padEnd(20, "0")}`);
    };
    const fits = ({ upTo }: any) =>
      upTo === null ||
      (input !== undefined &&
        BigInt(amountInRaw) * exact(input.dollarsPerToken) <= exact(upTo) * 10n ** BigInt(input.decimals));
    return tiers.find(fits).amount;
  }

  it("lets anybody compute the price that the challenge of any trade asks", async () => {
    const { tariff } = (await probe()).body;
    const trades = fc.record({
      policyId: fc.constantFrom(...policies),
      symbol: fc.constantFrom(DOLLAR, PRICED, UNPRICED),
      // Of dollars with 6 decimals and of stocks with 18, around the ends of the tiers and anywhere.
      amountInRaw: fc.oneof(
        fc.bigInt(1n, 10n ** 24n),
        fc.constantFrom(1_000_000_000n, 1_000_000_001n, 25_000_500_000n, 25_000_500_001n),
        fc.bigInt(4_338_394_793_926_247_287n, 4_338_394_793_926_247_289n),
      ),
    });
    await fc.assert(
      fc.asyncProperty(trades, async ({ policyId, symbol, amountInRaw }) => {
        const query = { policyId, inputAssetKey: keyOf(symbol), amountInRaw: String(amountInRaw) };
        const expected = computed(tariff, policyId, query.inputAssetKey, query.amountInRaw);
        expect((await probe(query)).body.accepts[0].amount).to.equal(expected);
      }),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(trades, async ({ policyId, symbol, amountInRaw }) => {
        const trade = symbol === DOLLAR ? buys(String(amountInRaw)) : sells(symbol, String(amountInRaw));
        const expected = computed(tariff, policyId, keyOf(symbol), String(amountInRaw));
        expect(await asked({ ...trade, policyId })).to.equal(expected);
      }),
      { numRuns: 25 },
    );
  });

  it("counts a buyer's dollars to the last raw unit, the end of a tier included", async () => {
    for (const [amountInRaw, price] of Object.entries({
      1: "10000",
      1000000000: "10000",
      1000000001: "20000",
      25000500000: "20000",
      25000500001: "50000",
    }))
      expect(await asked(buys(amountInRaw)), amountInRaw).to.equal(price);
  });

  it("takes the highest tier for a stock that nobody gave a figure, and for a size that is not told", async () => {
    expect(await asked(sells(PRICED, "1000000000000000000"))).to.equal("10000");
    expect(await asked(sells(UNPRICED, "1"))).to.equal("50000");
    expect((await probe()).body.accepts[0].amount).to.equal("50000");
    expect((await probe({ inputAssetKey: keyOf(DOLLAR) })).body.accepts[0].amount).to.equal("50000");
    expect((await probe({ amountInRaw: "1" })).body.accepts[0].amount).to.equal("50000");
    expect((await probe({ policyId: "LAST_CLOSE" })).body.accepts[0].amount).to.equal("7000");
  });

  it("refuses a question about what is not sold, before any price", async () => {
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await probe(query);
      return [status, body.code];
    };
    expect(await refused({ policyId: "NONE" })).to.deep.equal([422, "unknown_policy"]);
    const stranger = `eip155:31337:${world.accounts.payee.address}`;
    expect(await refused({ inputAssetKey: stranger })).to.deep.equal([422, "unsupported_asset"]);
    expect(await refused({ amountInRaw: "1e3" })).to.deep.equal([400, "invalid_request"]);
  });

  it("is charged as asked, and a payment for a small trade buys no large one", async () => {
    const before = await income(world);
    const large = buys("30000000000");
    expectStatus(await service.verify(large, await buyerOf(service).sign(await service.verify(large))), 200);
    expect((await income(world)) - before).to.equal(50_000n);
    const cheap = await buyerOf(service).sign(await service.verify(buys("5000000")));
    expectUnpaid(await service.verify(buys("31000000000"), cheap), "other_purchase");
  });

  it("is frozen on a job by the job's own size", async () => {
    for (const [trade, price] of [
      [buys("1000000000"), "10000"],
      [buys("1000000001"), "20000"],
      [sells(UNPRICED, "1000"), "50000"],
    ] as const) {
      const { body } = await service.post("/v1/jobs", { ...service.jobBody(), ...trade });
      expect(body.payment.requirements[0].amount).to.equal(price);
    }
  });

  it("stands where agents look: in /.well-known/x402 whole, and as a range in the texts", async () => {
    const { tariff } = (await probe()).body;
    const { body } = await service.call("/.well-known/x402", { key: null });
    expect(body.tariff).to.deep.equal(tariff);
    expect(tariff.inputs.map((input: any) => input.assetKey)).to.have.members([DOLLAR, PRICED].map(keyOf));
    for (const path of ["/llms.txt", "/a2mcp/listing.md"])
      expect(await (await fetch(`${service.url}${path}`)).text()).to.include("10000 to 50000 raw units");
  });

  it("names no figures where every price is flat", async () => {
    await using flat = await startPaidService(world, ":memory:");
    const { body } = await flat.call("/a2mcp/verify", { key: null });
    expect(body.tariff.inputs).to.deep.equal([]);
    expect(body.tariff.prices[0].tiers).to.deep.equal([{ upTo: null, amount: "10000" }]);
  });

  it("is refused at the start where a figure is of no stock that can be traded", async () => {
    const [dollar] = localOptions(world.deployment);
    for (const [assetKey, words] of [
      [keyOf(DOLLAR), "counts as one dollar"],
      [`eip155:31337:${world.accounts.payee.address}`, "no asset of the registry"],
    ] as const) {
      const path = join(world.dataDir, "wrong.json");
      await writeFile(path, JSON.stringify({ options: [dollar], dollarsPerToken: { [assetKey]: "1" } }));
      const refused = startPaidService(world, ":memory:", { PAYMENT_OPTIONS_FILE: path });
      expect(await refused.catch((error: Error) => error.message)).to.include(words);
    }
  });
});
