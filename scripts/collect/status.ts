/** `assay collect status`: how collection is going. */
import { marketStatus } from "../../market/status.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";
import { statusLines } from "./statusLines.ts";

export const collectStatus = command({
  summary: "Show the state of collection: providers, ages, what figures rest on, what was excluded",
  notes: MARKET_NOTES,
  run: (_, world) =>
    withMarket(world, async ({ market: { db, assets, now } }) => {
      const at = Math.floor(now() / 1_000);
      for (const line of statusLines(await marketStatus(db, assets, at))) world.out(line);
      return EXIT.ok;
    }),
});
