/** What one purchase costs and how it is to be paid, for the service and for its clients alike. */
import { z } from "zod";

export const Requirements = z
  .object({
    scheme: z.literal("exact"),
    network: z.templateLiteral([z.string(), ":", z.string()]),
    asset: z.string().max(100),
    amount: z.string().max(100).describe("What is to be paid, raw units of the asset"),
    payTo: z.string().max(100),
    maxTimeoutSeconds: z.int().positive().describe("How long a payment may take, seconds"),
    extra: z
      .record(z.string(), z.unknown())
      .describe(
        "`assetTransferMethod` `permit2` where the token is moved by Permit2, by EIP-3009 otherwise; `name` and `version` of its EIP-712 domain; `quote` names what is bought",
      ),
  })
  .meta({ id: "PaymentRequirements" });
/** What the service wants for one purchase, on one network in one token; amounts in raw units, times in seconds. */
export type Requirements = z.infer<typeof Requirements>;
