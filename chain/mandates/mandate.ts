/** A mandate: what an agent's key may do with the tokens of a Safe, as the Safe grants it to the module. */
import * as z from "zod";
import { Address, Bytes32, RawAmount, UnixSeconds } from "../../attestor/values/primitives.ts";

/** As many as the module takes. */
const MOST_STOCKS = 64;
const MOST_POLICIES = 16;

/** A raw amount that the module keeps in so many bits. */
const amountOf = (bits: number) =>
  RawAmount.refine((value) => BigInt(value) >> BigInt(bits) === 0n, `must fit into ${bits} bits`);

/** The on-chain `Mandate`. Member order is the order of the Solidity struct. */
export const Mandate = z.strictObject({
  settlementToken: Address.describe("What stocks are bought with and sold for"),
  expiresAt: UnixSeconds.describe("Last second at which the agent can trade, unix seconds"),
  revoker: Address.describe("May revoke the mandate, and nothing else; the zero address: the Safe alone can"),
  perTrade: amountOf(128).describe(
    "The most that one trade can spend or earn, raw units of the settlement token",
  ),
  perDay: amountOf(128).describe(
    "The most that all trades within 24 hours can, raw units of the settlement token",
  ),
  budget: amountOf(128).describe(
    "The most that all trades can, raw units of the settlement token. Every trade lowers it: read from the chain it is what is left",
  ),
  stocks: z
    .array(
      z.strictObject({
        token: Address.describe("A stock token that may be bought"),
        sellable: amountOf(96).describe(
          "Raw units of it that can be sold in all. Every sell lowers it: read from the chain it is what is left",
        ),
      }),
    )
    .max(MOST_STOCKS),
  policies: z
    .array(Bytes32)
    .max(MOST_POLICIES)
    .describe("Hashes of policies: a certificate has to name one of them"),
});
export type Mandate = z.infer<typeof Mandate>;

/** What is left for one trade: the least of the three caps. @returns raw units of the settlement token */
export function leftFor({ perTrade, perDay, budget }: Mandate, spent: string): string {
  const ofDay = BigInt(perDay) > BigInt(spent) ? BigInt(perDay) - BigInt(spent) : 0n;
  return String(
    [BigInt(perTrade), ofDay, BigInt(budget)].reduce((least, cap) => (cap < least ? cap : least)),
  );
}
