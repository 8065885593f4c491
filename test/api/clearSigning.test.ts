/** /erc7730/…: a wallet that takes the descriptors from the service shows what the service has prepared. */
import { expect } from "chai";
import { Contract } from "ethers";
import { GUIDE } from "../support/contracts/guide.ts";
import { showCall, showTypedData } from "../support/erc7730.ts";
import { startService } from "../support/service.ts";
import { ofSuite } from "../support/suite.ts";
import { testWorld } from "../support/world.ts";

describe("the descriptors for wallets", () => {
  const world = testWorld();
  const service = ofSuite(() => startService(world, "sqlite::memory:"));
  /** As the tokens say of themselves. */
  const tokens = new Map<string, { symbol: string; decimals: number }>();
  const lookups = { token: (address: string) => tokens.get(address) ?? null };

  before(async () => {
    await world.tick();
    await service.recordLiquidity();
    const abi = ["function symbol() view returns (string)", "function decimals() view returns (uint8)"];
    for (const { address } of world.deployment.registry.assets) {
      const token = new Contract(address, abi, world.provider);
      const symbol: string = await token.getFunction("symbol")();
      tokens.set(address, { symbol, decimals: Number(await token.getFunction("decimals")()) });
    }
  });

  const descriptor = async (name: string) =>
    (await service.call(`/erc7730/${world.deployment.chainId}/${name}`, { key: null })).body;

  async function shownOf(changes: Record<string, unknown>) {
    const { body: job } = await service.post("/v1/jobs", service.jobBody(changes));
    const { execution } = (await service.post(`/v1/jobs/${job.jobId}/prepare-execution`)).body;
    const { deadline, minAmountOut, outputToken } = execution.tradeIntent.message;
    const signed = showTypedData(await descriptor("eip712-TradeIntent.json"), execution.tradeIntent, lookups);
    const sent = showCall(await descriptor("calldata-TradeGuard.json"), execution.guardCall, lookups);
    expect(signed.sentence).to.equal(sent.sentence);
    const { decimals, symbol } = tokens.get(outputToken)!;
    const [, amount] = /^Buy at least ([0-9,.]+) /.exec(signed.sentence) ?? [];
    // To six places, and never more than the guard enforces.
    const units = Number(minAmountOut) / 10 ** decimals;
    expect(Number(amount!.replaceAll(",", ""))).to.be.within(units - 0.000_001, units);
    const until = new Date(Number(deadline) * 1000).toISOString().replace(".000Z", "Z");
    return {
      sentence: signed.sentence,
      rest: (input: string) =>
        `Buy at least ${amount} ${symbol} for ${input} until ${until}, paid to ${execution.tradeIntent.message.owner}`,
    };
  }

  it("show a purchase with the tokens' own names and decimals", async () => {
    const { sentence, rest } = await shownOf({});
    expect(sentence).to.equal(rest("250 USDL")).and.to.include(" AAPLx for ");
  });

  it("show a wallet's user a sale, with both amounts and tokens", async () => {
    const { sentence, rest } = await shownOf({
      inputAssetKey: world.assetKey("AAPLx"),
      outputAssetKey: world.assetKey("USDL"),
      amountInRaw: (10n ** 18n).toString(),
    });
    expect(sentence).to.equal(rest("1 AAPLx")).and.to.include(" USDL for ");
  });

  it("the descriptors for wallets are public, may be kept for an hour, and are asked for again by their ETag", async () => {
    for (const name of ["eip712-TradeIntent.json", "calldata-TradeGuard.json"]) {
      expect(GUIDE).to.include(`\`/erc7730/<chainId>/${name}\``);
      const path = `/erc7730/${world.deployment.chainId}/${name}`;
      const first = await service.call(path, { key: null });
      expect(first.status).to.equal(200);
      expect(first.headers.get("cache-control")).to.equal("public, max-age=3600");
      expect(first.headers.get("content-type")).to.match(/^application\/json/);
      const headers = { "if-none-match": first.headers.get("etag")! };
      expect((await service.call(path, { key: null, headers })).status).to.equal(304);
    }
  });

  it("the descriptors for wallets are there for the service's own chain and for no other file", async () => {
    for (const path of ["/erc7730/1/eip712-TradeIntent.json", "/erc7730/031337/calldata-TradeGuard.json"])
      expect((await service.call(path, { key: null })).status).to.equal(404);
    const { status } = await fetch(`${service.url}/erc7730/${world.deployment.chainId}/other.json`);
    expect(status).to.equal(404);
  });
});
