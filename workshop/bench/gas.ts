/**
 * What a guarded trade costs above the same swap sent to the router directly, on published DEX bytecode.
 * `--update` writes the snapshot that the tests compare with.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGasWorld, measureGas, nameOf } from "../../test/support/contracts/gas.ts";

const SNAPSHOT = join(import.meta.dirname, "../../test/contracts/gas.snapshot.json");

const number = (value: number): string => value.toLocaleString("en-US").padStart(10);

export async function bench(): Promise<void> {
  const gas = await createGasWorld();
  const measured = await measureGas(gas);
  if (process.argv.includes("--update")) writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);

  printTrades(measured);
}

function printTrades(measured: Record<string, number>): void {
  const ways = ([false, true] as const).flatMap((packed) =>
    (["owner", "relayer"] as const).flatMap((sender) =>
      (["later", "first"] as const).map((nonceOf) => ({ packed, sender, nonceOf })),
    ),
  );
  console.log("\nGas of a trade                                    Uniswap V2          Uniswap V3");
  console.log("                                             total     above     total     above");
  const direct = { v2: measured["v2, direct"]!, v3: measured["v3, direct"]! };
  console.log(
    `direct swap                             ${number(direct.v2)}${" ".repeat(10)}${number(direct.v3)}`,
  );
  for (const { packed, sender, nonceOf } of ways) {
    let row = `${packed ? "packed" : "guard"}, sent by the ${sender}, ${nonceOf} nonce`.padEnd(40);
    for (const dex of ["v2", "v3"] as const) {
      const above = measured[nameOf({ dex, sender, nonceOf, packed })]!;
      row += number(direct[dex] + above) + number(above);
    }
    console.log(row);
  }
  console.log(
    "\nFirst and later: nonce of its word of 256. The executor holds a unit of each token, the owner has approved\n" +
      "the guard without limit, nonces and minimums are as the service makes them.",
  );
}
