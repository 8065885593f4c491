import { expect } from "chai";
import { withoutZeros } from "../../../market/rules/zeros.ts";
import type { PoolState, VolumeState } from "../../../market/statement.ts";

const CHAINS: Readonly<Record<string, string>> = { "bnb-a": "bnb", "bnb-b": "bnb", "sol-a": "solana" };
const chainOf = (assetKey: string) => CHAINS[assetKey] ?? "";
const by = (source: string) => ({ source, origin: source, at: null, rawHash: null });

const pool = (subject: string, volume24hUsd: string | null, source = "index"): PoolState => ({
  of: "pool",
  subject,
  ...by(source),
  figure: "100",
  pool: `pool of ${subject}`,
  side: "base",
  liquidityUsd: "50000",
  volume24hUsd,
  trades24h: 12,
});
const swapped = (figure: string): VolumeState => ({
  of: "volume",
  subject: "bnb-a",
  ...by("chain"),
  figure,
  liquidityUsd: "50000",
});

/** Volumes that are left, and what was taken out. */
function believed(pools: readonly PoolState[], measured: readonly VolumeState[] = []) {
  const found = withoutZeros(pools, measured, chainOf);
  return {
    volumes: found.pools.map(({ volume24hUsd }) => volume24hUsd),
    zeroed: found.zeroed.map(({ source, chain, figure }) => `${source} ${chain} ${figure}`),
  };
}

describe("figures that are zero everywhere", () => {
  it("are not believed of a chain, and leave its liquidity and other chains alone", () => {
    const { pools, zeroed } = withoutZeros(
      [pool("bnb-a", "0"), pool("bnb-b", "0.00"), pool("sol-a", "7")],
      [],
      chainOf,
    );
    expect(pools.map((one) => [one.volume24hUsd, one.liquidityUsd])).to.eql([
      [null, "50000"],
      [null, "50000"],
      ["7", "50000"],
    ]);
    expect(zeroed).to.eql([
      { source: "index", chain: "bnb", figure: "volume24hUsd", tokens: ["bnb-a", "bnb-b"] },
    ]);
  });

  it("are believed of one pool among others, of one that is alone, and of those that state nothing", () => {
    expect(believed([pool("bnb-a", "0"), pool("bnb-b", "7")])).to.eql({ volumes: ["0", "7"], zeroed: [] });
    expect(believed([pool("sol-a", "0")])).to.eql({ volumes: ["0"], zeroed: [] });
    expect(believed([pool("bnb-a", null), pool("bnb-b", null)]).zeroed).to.eql([]);
  });

  it("are those of a source, however many the other states", () => {
    const zeros = [pool("bnb-a", "0"), pool("bnb-b", "0")];
    expect(believed([...zeros, pool("bnb-a", "7", "other")])).to.eql({
      volumes: [null, null, "7"],
      zeroed: ["index bnb volume24hUsd"],
    });
  });

  it("are believed once the chain's own swaps, or another index, have them at zero too", () => {
    const zeros = [pool("bnb-a", "0"), pool("bnb-b", "0")];
    expect(believed(zeros, [swapped("0")]).zeroed).to.eql([]);
    expect(believed(zeros, [swapped("3")]).zeroed).to.eql(["index bnb volume24hUsd"]);
    expect(believed([...zeros, pool("bnb-b", "0", "other")])).to.eql({
      volumes: ["0", "0", "0"],
      zeroed: [],
    });
  });
});
