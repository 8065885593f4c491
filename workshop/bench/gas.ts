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
  tradesOf,
} from "../../test/support/contracts/gas.ts";
import { MANDATE_TRADES, MANDATES, nameOfMandate } from "../../test/support/contracts/mandateGas.ts";
import { print, printTable } from "./measure.ts";

const SNAPSHOT = join(import.meta.dirname, "../../test/contracts/gas.snapshot.json");

/** null: it was not measured. */
const number = (value: number | null): string => (value === null ? "" : value.toLocaleString("en-US"));

export async function bench(): Promise<void> {
  const gas = await createGasWorld();
  const measured = await measureGas(gas);
  if (process.argv.includes("--update")) writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);

  printTrades(measured);
  printMandates(measured);
}

/** One row a way to trade, one column a swap: its gas above the direct swap, which is the first row. */
function printTrades(measured: Record<string, number>): void {
  const row = (title: string, of: (swap: Swap) => number | null) => [
    title,
    ...SWAPS.map((swap) => number(of(swap))),
  ];
  printTable(
    ["Gas", "V2", "V3", "two hops", "shares"],
    [
      row("direct swap", (swap) => measured[`${swap}, direct`]!),
      ...tradesOf("v2").map(({ sender, nonceOf, executor }) => {
        const title = `+ sent by the ${sender}, ${nonceOf} nonce${executor === "empty" ? ", empty executor" : ""}`;
        return row(title, (swap) => measured[nameOf({ swap, sender, nonceOf, executor })]!);
      }),
      row("with an exact approval each time, in total", (swap) => (swap === "v2" ? measured[EXACT]! : null)),
    ],
  );
  print(
    "V2 pools but for V3's: dollars for stock, over another token, for shares behind a proxy. First and later: nonce of its " +
      "word of 256. The executor holds a unit of each token where it is not empty. The owner has approved the guard " +
      "without limit. Nonces and minimums are as the service makes them.",
  );
}

/** One row a mandate, one column a trade: the gas of the agent's transaction, beside that of an owner's own. */
function printMandates(measured: Record<string, number>): void {
  const [ownTrade] = tradesOf("v2");
  const byOwner = measured["v2, direct"]! + measured[nameOf(ownTrade!)]!;
  printTable(
    ["Gas in total, V2", ...MANDATE_TRADES],
    [
      ...MANDATES.map((kind) => [
        `${kind.safe}, mandate of ${kind.stocks}`,
        ...MANDATE_TRADES.map((trade) => number(measured[nameOfMandate(kind, trade)]!)),
      ]),
      ...[
        ["an owner's own, by a standing approval", "", number(byOwner)],
        ["an owner's own, with an exact approval", "", number(measured[EXACT]!)],
      ].map((row) => [...row, ...Array<string>(MANDATE_TRADES.length + 1 - row.length).fill("")]),
    ],
  );
  print(
    "The agent's transaction approves, trades and takes the approval back. The stock is the last of the mandate's list, " +
      "and the policy the second of two. The first trade has the first nonce. The next day's comes 25 hours after the others.",
  );
}
