/** `assay collect backfill`: the history that providers have. */
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";

export const backfill = command({
  summary: "Fill in history: 90 days of funding for the live market, the simulated 90 days for the local one",
  notes: [
    "The live market's is as Hyperliquid has it, as far back as raw samples are kept.",
    ...MARKET_NOTES,
  ],
  run: (_, world) => withMarket(world, async (open) => ((await open.backfill()) ? EXIT.ok : EXIT.failed)),
});
