/**
 * What a guarded trade costs above the same swap sent to the router directly, on published DEX bytecode.
 * `--update` writes the snapshot that the tests compare with.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createGasWorld,
  EXACT,
  measureGas,
  nameOf,
  SWAPS,
  type Swap,
  waysOf,
} from "../../test/support/contracts/gas.ts";

const SNAPSHOT = join(import.meta.dirname, "../../test/contracts/gas.snapshot.json");

const number = (value: number): string =>
  (Number.isNaN(value) ? "" : value.toLocaleString("en-US")).padStart(10);

export async function bench(): Promise<void> {
  const gas = await createGasWorld();
  const measured = await measureGas(gas);
  if (process.argv.includes("--update")) writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);

  printTrades(measured);
}

/** One row a way to trade, one column a swap: its gas above the direct swap, which is the first row. */
function printTrades(measured: Record<string, number>): void {
  const row = (title: string, of: (swap: Swap) => number) =>
    console.log(title.padEnd(62) + SWAPS.map((swap) => number(of(swap))).join(""));
  console.log(
    `\n${"Gas".padEnd(62)}${["V2", "V3", "two hops", "shares"].map((name) => name.padStart(10)).join("")}`,
  );
  row("direct swap", (swap) => measured[`${swap}, direct`]!);
  for (const [index, way] of waysOf("v2").entries()) {
    const title = nameOf(way).replace(/^v2, |, above direct$/g, "");
    row(`+ ${title.replace(" of a word", "")}`, (swap) => measured[nameOf(waysOf(swap)[index]!)]!);
  }
  row("packed, with an exact approval each time, in total", (swap) =>
    swap === "v2" ? measured[EXACT]! : Number.NaN,
  );
  console.log(
    "\nV2 pools but for V3's: dollars for stock, over another token, for shares behind a proxy. First and later: nonce of its\n" +
      "word of 256. The executor holds a unit of each token where it is not unseeded, the owner has approved the guard\n" +
      "without limit, nonces and minimums are as the service makes them.",
  );
}
