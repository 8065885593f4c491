/** Our quotes beside those of the published quoters and routers: ten thousand, or `--quotes N`, from `--seed N` (1). */
import { compareQuotes } from "../../test/support/pools/differential.ts";
import { optionsGiven } from "./given.ts";

export async function bench(): Promise<void> {
  const values = optionsGiven({
    quotes: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  });
  const from = performance.now();
  const { tiers, differences, ...met } = await compareQuotes(Number(values.quotes), Number(values.seed));
  console.log(`\nQuotes from pool state against the published contracts, seed ${values.seed}`);
  for (const [name, count] of Object.entries(met))
    console.log(`  ${name.padEnd(20)} ${String(count).padStart(8)}`);
  console.log(`  ${"fee tiers".padEnd(20)} ${[...tiers].sort((a, b) => a - b).join(", ")}`);
  console.log(`  ${"differences".padEnd(20)} ${String(differences.length).padStart(8)}`);
  console.log(`  ${"seconds".padEnd(20)} ${((performance.now() - from) / 1000).toFixed(0).padStart(8)}`);
  for (const difference of differences.slice(0, 3)) console.log(`\n${difference}`);
  if (differences.length > 0) process.exitCode = 1;
}
