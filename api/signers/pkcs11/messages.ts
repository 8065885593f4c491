/** What the service and the process that holds a token say to each other. Bytes are hexadecimal. */
import { z } from "zod";

const Hex = z.string().regex(/^([0-9a-f]{2})*$/);
const FaultMessage = z.object({
  kind: z.enum(["missing", "unusable", "refused", "pin", "slow", "wrong"]),
  message: z.string(),
});

/** To the process: first how to open the token, then what to sign. */
export const Asked = z.discriminatedUnion("ask", [
  z.object({
    ask: z.literal("open"),
    setting: z.object({
      module: z.string(),
      token: z.union([z.object({ label: z.string() }), z.object({ slot: z.number() })]),
      key: z.union([z.object({ label: z.string() }), z.object({ id: z.string() })]),
      pin: z.string(),
      curve: z.enum(["secp256k1", "ed25519"]),
    }),
  }),
  z.object({ ask: z.literal("sign"), id: z.int(), input: Hex }),
]);
export type Asked = z.infer<typeof Asked>;
/** The settings of a token with its PIN. */
export type TokenSetting = Extract<Asked, { ask: "open" }>["setting"];

/** From the process. */
export const Told = z.discriminatedUnion("tell", [
  z.object({ tell: z.literal("open"), publicKey: Hex, extractable: z.boolean() }),
  z.object({ tell: z.literal("closed"), fault: FaultMessage }),
  z.object({ tell: z.literal("signed"), id: z.int(), signature: Hex }),
  z.object({ tell: z.literal("failed"), id: z.int(), fault: FaultMessage }),
]);
export type Told = z.infer<typeof Told>;
