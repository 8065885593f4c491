/** /erc7730/…: what wallets show of a trade before it is signed, for wallets and their registries. */
import { z } from "zod";
import {
  type ClearSigningDescriptor,
  guardCallDescriptor,
  tradeIntentDescriptor,
} from "../../attestor/certificate/clearSigning.ts";
import { named } from "../docs/operations.ts";
import { constantReply } from "../http/cacheReply.ts";
import { defineRoute, type Route } from "../http/route.ts";

/** A new version of the service may word it otherwise. */
const CACHE = "public, max-age=3600";

const Descriptor = z
  .object({
    $schema: z.url(),
    context: z.record(z.string(), z.unknown()).describe("The guard that the descriptor is for"),
    metadata: z.object({ owner: z.string(), contractName: z.string() }),
    display: z.object({
      formats: z.record(
        z.string(),
        z.object({
          intent: z.string(),
          interpolatedIntent: z.string(),
          fields: z.array(
            z.object({
              path: z.string(),
              label: z.string(),
              format: z.enum(["tokenAmount", "date", "addressName"]).optional(),
              params: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
              visible: z.enum(["always", "optional", "never"]),
            }),
          ),
        }),
      ),
    }),
  })
  .meta({ id: "ClearSigningDescriptor" });

/** @param chainId of the guard @param guard its address */
export function clearSigningRoutes({ chainId, guard }: { chainId: number; guard: string }): Route[] {
  // Those of other chains' guards are other services'.
  const params = z.object({ chainId: z.literal(String(chainId)).describe("The chain of the guard") });
  const descriptor = (
    file: string,
    operation: Parameters<typeof named>[0],
    content: ClearSigningDescriptor,
  ): Route =>
    defineRoute({
      path: `/erc7730/:chainId/${file}`,
      ...named(operation),
      description: `An ERC-7730 descriptor (version 2) for the guard ${guard} of chain ${chainId}: with it a wallet shows amounts, deadline and recipient instead of raw data. Other chains answer 404.`,
      tags: ["Wallets"],
      auth: "public",
      params,
      responses: {
        200: {
          description: "The descriptor",
          schema: Descriptor,
          headers: {
            ETag: { description: "Send it as If-None-Match" },
            "Cache-Control": { description: `\`${CACHE}\`` },
          },
        },
        304: { description: "The client already has it" },
      },
      errors: ["not_found"],
      handle: constantReply(() => JSON.stringify(content), CACHE),
    });
  return [
    descriptor("eip712-TradeIntent.json", "getTradeIntentDescriptor", tradeIntentDescriptor(chainId, guard)),
    descriptor("calldata-TradeGuard.json", "getGuardCallDescriptor", guardCallDescriptor(chainId, guard)),
  ];
}
