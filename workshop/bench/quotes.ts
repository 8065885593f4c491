/** Our quotes beside those of the published quoters and routers: ten thousand, or `--quotes N`, from `--seed N` (1). */
import { compareQuotes } from "../../test/support/pools/differential.ts";
import { optionsGiven } from "./given.ts";
import { printTable, progress } from "./print.ts";

export async function bench(): Promise<void> {
  const values = optionsGiven({
    quotes: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  });
  const from = performance.now();
  const { tiers, differences, ...met } = await compareQuotes(Number(values.quotes), Number(values.seed));
  const seconds = ((performance.now() - from) / 1_000).toFixed(0);
  printTable(
    [`Quotes from pool state against the published contracts, seed ${values.seed}`, "value"],
    [
      ...Object.entries(met).map(([name, count]) => [name, String(count)]),
      ["fee tiers", [...tiers].sort((a, b) => a - b).join(", ")],
      ["differences", String(differences.length)],
      ["seconds", seconds],
    ],
  );
  for (const difference of differences.slice(0, 3)) progress(difference);
  if (differences.length > 0) process.exitCode = 1;
}
