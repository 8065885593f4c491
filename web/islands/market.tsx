/** The table of tokens: with the reader's key, grades and impacts beside the premium. */
import { ask } from "../browser.ts";
import { bps } from "../format/bps.ts";
import { island } from "../island.ts";
import { currentKey, onKeyChange } from "../readerKey.ts";

interface Score {
  readonly chain: string;
  readonly address: string;
  readonly grade: string;
  readonly impact_1k_bps: number | null;
  readonly impact_10k_bps: number | null;
  readonly sample_n: number;
}

/** Fewer samples are insufficient: the grade is provisional then. */
const ENOUGH_SAMPLES = 3;

island("market", (table) => {
  const show = async () => {
    const asked = currentKey();
    const answer = asked === null ? null : await ask("/api/v1/liquidity-scores");
    // Forgotten, or another one, while the service was asked.
    if (currentKey() !== asked) return;
    const scores = answer?.ok ? (answer.body as { scores: readonly Score[] }).scores : null;
    for (const cell of table.querySelectorAll("td.keyed")) cell.remove();
    for (const head of table.querySelectorAll<HTMLElement>("th.keyed")) head.hidden = scores === null;
    if (scores !== null) fill(table, scores);
  };
  void show();
  return onKeyChange(() => void show());
});

/** The cells are made here: without a key a page carries none. */
function fill(table: HTMLElement, scores: readonly Score[]): void {
  const byToken = new Map(scores.map((score) => [`/tokens/${score.chain}/${score.address}`, score]));
  for (const row of table.querySelectorAll<HTMLTableRowElement>("tbody tr")) {
    const link = row.querySelector<HTMLAnchorElement>("th a");
    const score = byToken.get(decodeURI(link?.pathname ?? ""));
    const cell = (name: string, text: string) => {
      const made = document.createElement("td");
      made.className = "number keyed";
      made.setAttribute(name, "");
      made.textContent = text;
      row.lastElementChild?.before(made);
    };
    const isEnough = score !== undefined && score.sample_n >= ENOUGH_SAMPLES;
    cell("data-grade", score === undefined ? "–" : isEnough ? score.grade : `(${score.grade})`);
    cell(
      "data-impact",
      score === undefined ? "–" : `${bps(score.impact_1k_bps)} / ${bps(score.impact_10k_bps)}`,
    );
  }
}
