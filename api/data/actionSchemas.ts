/** The data API's schemas of the calendar and of corporate actions. */
import { z } from "zod";
import { CHAIN_NAMES } from "../../attestor/chains.ts";
import { Attribution, DateTime } from "./members.ts";

const Day = z.string().meta({ format: "date" });

const Session = z.object({
  session: z.enum(["overnight", "pre-market", "regular", "post-market"]),
  opens_at: DateTime.describe("Inclusive"),
  closes_at: DateTime.describe("Exclusive"),
});

const CalendarDay = z
  .object({
    day: Day.describe("The date in New York; weekends are not listed"),
    kind: z
      .enum(["full", "half", "closed"])
      .describe(
        "`full`: regular trading from 09:30 to 16:00; `half`: it is shorter; `closed`: a holiday, or an unscheduled closure",
      ),
    name: z
      .string()
      .nullable()
      .describe("The holiday, or the reason for the short day, as the exchange calls it; null on other days"),
    sessions: z
      .array(Session)
      .describe(
        "In order. `overnight` begins on the evening before and belongs to the day it leads into; a closed day has none",
      ),
  })
  .meta({ id: "CalendarDay" });

export const CalendarAnswer = z
  .object({
    attribution: Attribution,
    from: Day.describe("First day, inclusive"),
    to: Day.describe("Last day, exclusive"),
    source: z
      .string()
      .describe("`nyse-calendar`: the exchange's published rules and its unscheduled closures so far"),
    days: z.array(CalendarDay).describe("Oldest first"),
  })
  .meta({ id: "Calendar" });

export const ActionKind = z.enum(["split", "dividend", "multiplier", "migration"]);

const CorporateAction = z
  .object({
    id: z.int().describe("The number of this row"),
    symbol: z
      .string()
      .nullable()
      .describe("As minted; null: the token is no longer listed, as in the three below"),
    chain: z.enum(CHAIN_NAMES).nullable(),
    address: z.string().nullable(),
    underlying: z.string().nullable(),
    asset_key: z.string().describe("`eip155:<chain id>:<address>` or `solana:mainnet:<address>`"),
    kind: ActionKind.describe(
      "`split`, `dividend`: by the source's own reason; `multiplier`: the source does not say why; `migration`: another address",
    ),
    value_before: z
      .string()
      .nullable()
      .describe("Shares per token, unrounded; of a migration the old address; null: the source does not say"),
    value_after: z
      .string()
      .nullable()
      .describe("Shares per token, unrounded; of a migration the new address; null: the source does not say"),
    effective_at: DateTime.nullable().describe("By its source; null: it does not say"),
    announced_at: DateTime.nullable().describe("When it was first read; null: it was in effect by then"),
    at: DateTime.describe(
      "The order of the list: `effective_at`, or when it was first read where that is null",
    ),
    source: z
      .string()
      .describe(
        "Who announces it: `xstocks`, `solana` (the mint), `chain` (the token's contracts), `simulated`",
      ),
    raw_hash: z
      .string()
      .regex(/^0x[0-9a-f]{64}$/)
      .nullable()
      .describe("keccak256 of the answer in which this was first read; null: there was no one answer"),
  })
  .meta({ id: "CorporateAction" });

export const CorporateActionsAnswer = z
  .object({
    attribution: Attribution,
    actions: z.array(CorporateAction).describe("Oldest first, by `at`"),
  })
  .meta({ id: "CorporateActions" });
