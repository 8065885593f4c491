/** `assay collect status`: how collection is going. */
import { marketStatus } from "../../market/status.ts";
import { command } from "../command.ts";
import { EXIT } from "../errors.ts";
import { JSON_OPTION, jsonText } from "../json.ts";
import { MARKET_NOTES, withMarket } from "./market.ts";
import { statusLines } from "./statusLines.ts";

export const collectStatus = command({
  summary: "Show the state of collection: providers, ages, what figures rest on, what was excluded",
  options: JSON_OPTION,
  notes: MARKET_NOTES,
  run: ({ json }, world) =>
    withMarket(world, async ({ market: { db, assets, now } }) => {
      const at = Math.floor(now() / 1_000);
      const status = await marketStatus(db, assets, at);
      if (json) world.out(jsonText(status));
      else for (const line of statusLines(status)) world.out(line);
      return EXIT.ok;
    }),
});
