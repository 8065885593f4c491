/** A mandate: what an agent's key may do with the tokens of a Safe, as the Safe grants it to the module. */
import * as z from "zod";
import { Address, Bytes32, RawAmount, UnixSeconds } from "../values/primitives.ts";

/** As many as the module takes. */
const MOST_STOCKS = 64;
const MOST_POLICIES = 16;

/** A raw amount that the module keeps in so many bits. */
const amountOf = (bits: number) =>
  RawAmount.refine((value) => BigInt(value) >> BigInt(bits) === 0n, `must fit into ${bits} bits`);

/** The on-chain `Mandate`. Member order is the order of the Solidity struct. */
export const Mandate = z
  .strictObject({
    settlementToken: Address.describe("What stocks are bought with and sold for"),
    expiresAt: UnixSeconds.describe("Last second at which the agent can trade, unix seconds"),
    revoker: Address.describe(
      "May revoke the mandate, and nothing else; the zero address: the Safe alone can",
    ),
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
  })
  .meta({ id: "Mandate" });
export type Mandate = z.infer<typeof Mandate>;

/** What the chain says of a mandate at the evidence's block. */
export const MandateFacts = z
  .strictObject({
    module: Address,
    enabled: z.boolean().describe("Whether the Safe has enabled the module"),
    granted: Mandate.nullable().describe(
      "The mandate, with what is left of its budget and of what can be sold; null: there is none, or it was revoked",
    ),
    window: z
      .strictObject({
        spent: amountOf(128).describe("The sum over its hours, raw units of the settlement token"),
        firstHour: z.int().min(0).describe("The first of its 25 hours, in hours since 1970"),
        past: z
          .array(RawAmount)
          .max(24)
          .describe(
            "The amount spent in each hour that no longer counts at the block, from the first hour on; empty where no hour counts, or all do",
          ),
      })
      .describe("What the agent spent of the trade's settlement token, as the last trade left it"),
    spentWithinDay: RawAmount.describe(
      "What of it still counts at the block against the most of a day, raw units of the settlement token",
    ),
    allowance: RawAmount.describe(
      "What the Safe lets the guard take of the input token at the block, raw units: anything but 0 keeps the module from trading",
    ),
  })
  .meta({ id: "MandateFacts" });
export type MandateFacts = z.infer<typeof MandateFacts>;
type Window = MandateFacts["window"];

const HOUR_SECONDS = 3_600;
const WINDOW_HOURS = 24;

/** How many hours of a window are past at a time, in unix seconds. */
const past = (firstHour: number, at: number): number =>
  Math.max(0, Math.floor(at / HOUR_SECONDS) - WINDOW_HOURS - firstHour);

/**
 * How many hours of a window must be read to compute what of it still counts. None where all are past, as the module
 * sums up at most 25 of them.
 * @param at unix seconds
 */
export function hoursToRead({ firstHour }: Pick<Window, "firstHour">, at: number): number {
  const count = past(firstHour, at);
  return count > WINDOW_HOURS ? 0 : count;
}

/** What of a window still counts, as the module's `spentWithinDay` says. @param at unix seconds */
export function spentWithinDay({ spent, firstHour, past: hours }: Window, at: number): string {
  if (past(firstHour, at) > WINDOW_HOURS) return "0";
  return String(hours.reduce((rest, hour) => rest - BigInt(hour), BigInt(spent)));
}

/** What is left for one trade: the least of the three caps. @returns raw units of the settlement token */
export function leftFor({ perTrade, perDay, budget }: Mandate, spent: string): string {
  const ofDay = BigInt(perDay) > BigInt(spent) ? BigInt(perDay) - BigInt(spent) : 0n;
  return String(
    [BigInt(perTrade), ofDay, BigInt(budget)].reduce((least, cap) => (cap < least ? cap : least)),
  );
}
