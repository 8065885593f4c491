/** The tokens that the agent knows by itself: from local.json and the chain, without asking the service. */
import { Contract, type Wallet } from "ethers";
import type { Asset } from "../../attestor/registry.ts";
import type { LocalFile } from "../../devnet/localFile.ts";

export type Tradable = Pick<Asset, "assetKey" | "symbol" | "kind" | "decimals">;

/** The local world's dollar; everything else there is a stock. */
const DOLLAR = "USDL";

export async function tokensOf({ chainId, tokens }: LocalFile, wallet: Wallet): Promise<Tradable[]> {
  return Promise.all(
    Object.entries(tokens).map(async ([symbol, address]) => ({
      assetKey: `eip155:${chainId}:${address}`,
      symbol,
      kind: symbol === DOLLAR ? ("settlement" as const) : ("stock" as const),
      decimals: Number(await contractAt(address, wallet).getFunction("decimals").staticCall()),
    })),
  );
}

const contractAt = (address: string, wallet: Wallet) =>
  new Contract(address, ["function decimals() view returns (uint8)"], wallet);
