/** The tokens that the agent knows by itself: from local.json, without asking the service. */
import type { Asset } from "../../attestor/registry.ts";
import type { LocalFile } from "../../devnet/localFile.ts";

export type Tradable = Pick<Asset, "assetKey" | "symbol" | "kind" | "decimals">;

export const tokensOf = ({ tokens }: LocalFile): Tradable[] =>
  Object.entries(tokens).flatMap(([symbol, { assetKey, kind, decimals }]) =>
    kind === "payment" ? [] : [{ assetKey, symbol, kind, decimals }],
  );
