/** The table of tokens: with the reader's key, prices, grades and impacts beside the premium. */
import type { z } from "zod";
import type { LatestAnswer } from "../../api/data/latestSchemas.ts";
import type { ScoresAnswer } from "../../api/data/schemas.ts";
import { ask } from "../browser.ts";
import { bps } from "../format/bps.ts";
import { dollarText } from "../format/dollars.ts";
import { island } from "../island.ts";
import { currentKey, onKeyChange } from "../readerKey.ts";

type Score = z.infer<typeof ScoresAnswer>["scores"][number];
type Price = z.infer<typeof LatestAnswer>["tokens"][number];

/** What a list in a query can name. */
const SYMBOL = /^[A-Za-z0-9.]{1,32}$/;
/** Fewer samples are insufficient: the grade is provisional then. */
const ENOUGH_SAMPLES = 3;

island("market", (table) => {
  const show = async () => {
    const asked = currentKey();
    const keyed = asked === null ? null : await keyedOf(table);
    // Forgotten, or another one, while the service was asked.
    if (currentKey() !== asked) return;
    for (const cell of table.querySelectorAll("td.keyed")) cell.remove();
    for (const head of table.querySelectorAll<HTMLElement>("th.keyed")) head.hidden = keyed === null;
    if (keyed !== null) fill(table, keyed);
  };
  void show();
  return onKeyChange(() => void show());
});

/** By the path of each token's page. */
interface Keyed {
  readonly scores: ReadonlyMap<string, Score>;
  readonly prices: ReadonlyMap<string, Price>;
}

const rowsOf = (table: HTMLElement) => table.querySelectorAll<HTMLTableRowElement>("tbody tr");
const linkOf = (row: HTMLTableRowElement) => row.querySelector<HTMLAnchorElement>("th a");

/** null: the key opens nothing now. */
async function keyedOf(table: HTMLElement): Promise<Keyed | null> {
  const symbols = [...rowsOf(table)].map((row) => linkOf(row)?.textContent ?? "");
  const wanted = symbols.filter((symbol) => SYMBOL.test(symbol)).join(",");
  const [scored, latest] = await Promise.all([
    ask("/api/v1/liquidity-scores"),
    ask(`/api/v1/latest?${new URLSearchParams({ symbol: wanted })}`),
  ]);
  if (!scored.ok) return null;
  const { scores } = scored.body as { readonly scores: readonly Score[] };
  const tokens = latest.ok ? (latest.body as { readonly tokens: readonly Price[] }).tokens : [];
  return { scores: byPath(scores), prices: byPath(tokens) };
}

const byPath = <T extends { readonly chain: string; readonly address: string }>(rows: readonly T[]) =>
  new Map(rows.map((row) => [`/tokens/${row.chain}/${row.address}`, row]));

/** The cells are made here: without a key a page carries none. */
function fill(table: HTMLElement, { scores, prices }: Keyed): void {
  for (const row of rowsOf(table)) {
    const path = decodeURI(linkOf(row)?.pathname ?? "");
    const score = scores.get(path);
    const cell = (name: string, text: string) => {
      const made = document.createElement("td");
      made.className = "number keyed";
      made.setAttribute(name, "");
      made.textContent = text;
      row.lastElementChild?.before(made);
    };
    const isEnough = score !== undefined && score.sample_n >= ENOUGH_SAMPLES;
    cell("data-price", dollarText(prices.get(path)?.price_usd ?? null, 2) ?? "–");
    cell("data-grade", score === undefined ? "–" : isEnough ? score.grade : `(${score.grade})`);
    cell(
      "data-impact",
      score === undefined ? "–" : `${bps(score.impact_1k_bps)} / ${bps(score.impact_10k_bps)}`,
    );
  }
}
