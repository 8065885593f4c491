/**
 * What a guarded trade costs above the same swap sent to the router directly, on published DEX bytecode; what of it
 * no implementation of the same protections could save; and what peers cost on the same pool.
 * `--update` writes the snapshot that the tests compare with.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createGasWorld,
  type GasWorld,
  type Guarded,
  measureGas,
  nameOf,
} from "../../test/support/contracts/gas.ts";
import { settleOnCow } from "./gas/cow.ts";
import { explain } from "./gas/explain.ts";

const SNAPSHOT = join(import.meta.dirname, "../../test/contracts/gas.snapshot.json");

const number = (value: number): string => value.toLocaleString("en-US").padStart(10);

export async function bench(): Promise<void> {
  const gas = await createGasWorld();
  const measured = await measureGas(gas);
  if (process.argv.includes("--update")) writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);

  await printTrades(gas, measured);
  for (const packed of [false, true])
    for (const sender of ["owner", "relayer"] as const)
      await printFloor(gas, { dex: "v2", sender, nonceOf: "later", packed });
  await printPeers(gas, measured);
}

async function printTrades(gas: GasWorld, measured: Record<string, number>): Promise<void> {
  const ways = ([false, true] as const).flatMap((packed) =>
    (["owner", "relayer"] as const).flatMap((sender) =>
      (["later", "first"] as const).map((nonceOf) => ({ packed, sender, nonceOf })),
    ),
  );
  console.log(
    "\nGas of a trade                                        Uniswap V2                     Uniswap V3",
  );
  console.log(
    "                                              total      above     floor     total     above     floor",
  );
  const direct = { v2: measured["v2, direct"]!, v3: measured["v3, direct"]! };
  console.log(
    `direct swap                             ${number(direct.v2)}${" ".repeat(20)}${number(direct.v3)}`,
  );
  for (const { packed, sender, nonceOf } of ways) {
    let row = `${packed ? "packed" : "guard"}, sent by the ${sender}, ${nonceOf} nonce`.padEnd(40);
    for (const dex of ["v2", "v3"] as const) {
      const above = measured[nameOf({ dex, sender, nonceOf, packed })]!;
      const { floor } = await explain(gas, { dex, sender, nonceOf, packed });
      row += number(direct[dex] + above) + number(above) + number(floor);
    }
    console.log(row);
  }
  console.log(
    "\nFirst and later: nonce of its word of 256. The executor holds a unit of each token, the owner has approved\n" +
      "the guard without limit, nonces and minimums are as the service makes them. Floor: everything of the overhead that the\n" +
      "EVM or a token charges for the protections of this interface, so all but the plain instructions of the two\n" +
      "contracts (stack, memory, jumps, comparisons).",
  );
}

async function printFloor(gas: GasWorld, trade: Guarded): Promise<void> {
  const { items, plain, overhead } = await explain(gas, trade);
  console.log(
    `\nWhere the overhead goes: ${trade.dex}, ${trade.packed ? "packed, " : ""}sent by the ${trade.sender}, ${trade.nonceOf} nonce`,
  );
  let floor = 0;
  for (const [what, cost] of items) {
    floor += cost;
    console.log(`  ${what.padEnd(86)}${number(cost)}`);
  }
  console.log(`  ${"floor for these protections in this interface".padEnd(86)}${number(floor)}`);
  console.log(`  ${"plain instructions of guard and executor".padEnd(86)}${number(plain)}`);
  console.log(`  ${"above the direct swap".padEnd(86)}${number(overhead)}`);
}

async function printPeers(gas: GasWorld, measured: Record<string, number>): Promise<void> {
  const base = measured["v2, direct"]!;
  console.log(
    "\nPeers on the same V2 pool, above the direct swap; a signed order of the same owner, relayed",
  );
  for (const packed of [false, true]) {
    const ours = measured[nameOf({ dex: "v2", sender: "relayer", nonceOf: "later", packed })]!;
    const what = `this guard, ${packed ? "packed, " : ""}later nonce of a word (with an attestation)`;
    console.log(`  ${what.padEnd(86)}${number(ours)}`);
  }
  try {
    const cow = await settleOnCow(gas.world);
    console.log(
      `  ${"CoW settlement, one order, standing approval of the router, seeded (no attestation)".padEnd(86)}${number(cow - base)}`,
    );
  } catch (error) {
    console.log(`  CoW settlement: not measured: ${error instanceof Error ? error.message : String(error)}`);
  }
  console.log(
    "  Permit2 and UniswapX: not in this run. @uniswap/permit2-sdk publishes an ABI without bytecode;\n" +
      "  @uniswap/uniswapx-sdk carries test builds of both inside its generated code, not published artifacts.",
  );
}
