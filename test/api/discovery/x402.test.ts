/** How agents and catalogs find what is sold: /.well-known/x402 and the discovery extension of the challenge. */
import { extractDiscoveryInfo, validateDiscoveryExtension } from "@x402/extensions/bazaar";
import { expect } from "chai";
import { json } from "../../support/http.ts";
import { testFacilitator } from "../../support/paymentFacilitator.ts";
import {
  buyerOf,
  buyerWith,
  reading,
  startPaidService,
  testPaidService,
  testPaidWorld,
} from "../../support/payments.ts";
import { type Service, startService, walletOf } from "../../support/service.ts";
import { BY_PERMIT2, decodeHeader, PRICE, termsIn } from "../../support/x402.ts";

describe("discovery of paid resources", () => {
  const world = testPaidWorld();
  const facilitator = testFacilitator(world);
  const service = testPaidService(world, () => ({
    FACILITATOR_URL: facilitator.url,
    PAYMENT_DISCOVERY: "true",
  }));

  describe("/.well-known/x402", () => {
    const listed = (from: Service) => from.call("/.well-known/x402", { key: null });

    it("lists what is sold, with the prices of the challenge and the policies that they are for", async () => {
      const { status, body, headers } = await listed(service);
      expect(status).to.equal(200);
      expect(headers.get("content-type")).to.include("application/json");
      expect(headers.get("cache-control")).to.equal("public, max-age=300");
      expect(body.resources.map(({ method, resource }: any) => `${method} ${resource}`)).to.deep.equal([
        `POST ${service.url}/a2mcp/verify`,
        `POST ${service.url}/mcp`,
        `GET ${service.url}/v1/jobs/{id}/report`,
        `POST ${service.url}/v1/jobs/{id}/prepare-execution`,
      ]);
      const [{ accepts }, tool] = body.resources;
      expect(tool).to.include({ type: "mcp", toolName: "prepare_verification" });
      expect(tool.accepts).to.deep.equal(accepts);
      const offered = (await service.verify(service.verifyBody())).body.accepts;
      expect(accepts).to.deep.equal(
        offered.map(({ extra: { quote: _, ...extra }, ...terms }: any) => ({
          ...terms,
          extra: { ...extra, policies: ["STRICT_LIVE", "EXTENDED_HOURS", "LAST_CLOSE"] },
        })),
      );
      const methods = accepts.map(({ extra }: any) => extra.assetTransferMethod);
      expect(methods).to.deep.equal([undefined, "permit2"]);
      expect(accepts[0].amount).to.equal(PRICE.toString());
    });

    it("discovery of paid resources /.well-known/x402 has an ETag, and is listed in the OpenAPI document and in llms.txt", async () => {
      const { headers } = await listed(service);
      const known = { "if-none-match": headers.get("etag")! };
      expect((await fetch(`${service.url}/.well-known/x402`, { headers: known })).status).to.equal(304);
      expect(service.openapi.paths).to.have.property("/.well-known/x402");
      expect(await (await fetch(`${service.url}/llms.txt`)).text()).to.include("/.well-known/x402");
    });

    it("discovery of paid resources /.well-known/x402 is not there in the free phase, where nothing is sold", async () => {
      await using free = await startService(world, ":memory:");
      const answer = await fetch(`${free.url}/.well-known/x402`);
      expect([answer.status, ((await answer.json()) as any).code]).to.deep.equal([404, "not_found"]);
      expect(free.openapi.paths).not.to.have.property("/.well-known/x402");
    });
  });

  describe("the discovery extension", () => {
    const headerOf = async () => (await service.verify(service.verifyBody())).headers.get("payment-required");

    it("describes the input, as the official library wants it, in under 8 KiB of headers", async () => {
      const header = await headerOf();
      const { extensions } = decodeHeader(header);
      expect(validateDiscoveryExtension(extensions.bazaar)).to.deep.equal({ valid: true });
      expect(extensions.bazaar.info.input).to.include({ type: "http", method: "POST", bodyType: "json" });
      expect((header as string).length).to.be.below(7_000);
      const probe = await service.call("/a2mcp/verify", { key: null });
      const asked = termsIn(probe).extensions;
      expect(asked.bazaar).to.deep.equal(extensions.bazaar);
    });

    it("comes back with a payment and its permit in less than 8 KiB, which proxies let through", async () => {
      const buyer = buyerWith(walletOf(world, 8), BY_PERMIT2, reading(world));
      const signature = await buyer.sign(await service.verify(service.verifyBody()));
      expect(decodeHeader(signature).extensions.eip2612GasSponsoring.info).to.have.property("signature");
      expect(signature.length).to.be.within(5_000, 8_000);
    });

    it("gives an example that can be bought as it stands", async () => {
      const { extensions } = decodeHeader(await headerOf());
      const bought = await buyerOf(service).pay("/a2mcp/verify", json(extensions.bazaar.info.input.body));
      expect(bought.status).to.equal(200);
      expect(bought.body).to.include.keys(
        Object.keys(extensions.bazaar.schema.properties.output.properties.example.properties),
      );
    });

    it("reaches the facilitator with the payment, for its catalog", async () => {
      const { body } = facilitator.requests.findLast(({ path }) => path === "/settle") as { body: any };
      const found = extractDiscoveryInfo(body.paymentPayload, body.paymentRequirements);
      expect(found).to.include({ resourceUrl: `${service.url}/a2mcp/verify`, method: "POST" });
    });

    it("discovery of paid resources the discovery extension is left out for jobs, which are for holders of keys, and where the setting does not ask for it", async () => {
      const unpaid = await service.call(await service.newReport());
      expect(termsIn(unpaid).extensions)
        .to.have.property("eip2612GasSponsoring")
        .and.not.have.property("bazaar");
      await using plain = await startPaidService(world, ":memory:");
      const header = (await plain.verify(plain.verifyBody())).headers.get("payment-required");
      expect(header).to.have.length.below(3_300);
      const left = ["payment-identifier", "sign-in-with-x", "eip2612GasSponsoring"];
      expect(decodeHeader(header).extensions).to.have.all.keys(...left);
    });
  });
});
