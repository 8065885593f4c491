/** What POST /a2mcp/verify takes, for an agent that comes with nothing: in words, as JSON Schema, with an example. */
import { z } from "zod";
import type { Registry } from "../../attestor/registry.ts";
import type { InputDescription } from "./catalog.ts";
import { VerifyInput } from "./requests.ts";

/** Nobody's: the second account of the well-known development mnemonic. */
const EXAMPLE_OWNER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/** Component names are for the OpenAPI file: without them schemas are inlined, and hosts need no `$ref`. */
export const IN_PLACE = {
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
  get(schema: z.ZodType) {
    const meta = z.globalRegistry.get(schema);
    if (meta === undefined) return undefined;
    const { id: _, ...rest } = meta;
    return rest;
  },
} as unknown as typeof z.globalRegistry;

/** @throws Error for a registry without a stock or a settlement token */
export function describeInput({ assets }: Registry): InputDescription {
  const settlement = assets.find(({ kind }) => kind === "settlement");
  const stock = assets.find(({ kind }) => kind === "stock");
  if (!settlement || !stock) throw new Error("the registry has no stock or no settlement token");
  return {
    description: `POST this to /a2mcp/verify to have a trade verified, here a purchase of ${stock.symbol} for 250 ${settlement.symbol}.`,
    schema: z.toJSONSchema(VerifyInput, { target: "draft-2020-12", io: "input", metadata: IN_PLACE }),
    example: {
      ownerAddress: EXAMPLE_OWNER,
      inputAssetKey: settlement.assetKey,
      outputAssetKey: stock.assetKey,
      amountInRaw: (250n * 10n ** BigInt(settlement.decimals)).toString(),
      policyId: "STRICT_LIVE",
      maxSlippageBps: 50,
    },
  };
}
