import { expect } from "chai";
import { id } from "ethers";
import { type ChainPriceSource, sourceName } from "../../../attestor/sources.ts";
import { readPrices } from "../../../chain/facts/references.ts";
import { addressFor } from "../../attestor/fixtures.ts";
import { testWorld } from "../../support/world.ts";

describe("prices on the chain", () => {
  const world = testWorld();

  const read = async (...sources: ChainPriceSource[]) => {
    const at = { blockNumber: await world.provider.getBlockNumber(), receivedAt: 7 };
    return await readPrices(world.provider, sources, "simulated", at);
  };
  const listed = <P extends "pyth" | "chainlink">(provider: P) =>
    world.feeds("AAPLx").find((feed) => feed.provider === provider) as Extract<
      ChainPriceSource,
      { provider: P }
    >;

  it("are stated as the registry lists their feeds", async () => {
    const { readings, failures } = await read(listed("pyth"), listed("chainlink"));
    expect(failures).to.deep.equal([]);
    expect(readings.map(({ onChain }) => onChain?.address)).to.deep.equal([
      listed("pyth").address,
      listed("chainlink").address,
    ]);
  });

  it("of an aggregator with other decimals than are listed are unusable, with the hash of its answer", async () => {
    const other = { ...listed("chainlink"), decimals: 18 };
    const [said] = (await read(listed("chainlink"))).readings;
    expect(await read(other)).to.deep.equal({
      readings: [],
      failures: [
        { source: sourceName(other), subject: "price", reason: "unusable", at: 7, rawHash: said?.rawHash },
      ],
    });
  });

  it("fail with no answer where the feed reverts, and where no contract is", async () => {
    const unknown = { ...listed("pyth"), feedId: id("nobody's feed") };
    const nowhere = { ...listed("chainlink"), address: addressFor("nobody") };
    expect(await read(unknown, nowhere)).to.deep.equal({
      readings: [],
      failures: [unknown, nowhere].map((source) => ({
        source: sourceName(source),
        subject: "price",
        reason: "no-answer",
        at: 7,
        rawHash: null,
      })),
    });
  });
});
