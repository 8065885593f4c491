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
    if (scores !== null) fill(table, scores);
    for (const cell of table.querySelectorAll<HTMLElement>(".keyed")) cell.hidden = scores === null;
    if (scores === null) for (const cell of table.querySelectorAll("td.keyed")) cell.textContent = "";
  };
  void show();
  return onKeyChange(() => void show());
});

function fill(table: HTMLElement, scores: readonly Score[]): void {
  const byToken = new Map(scores.map((score) => [`${score.chain}:${score.address}`, score]));
  for (const row of table.querySelectorAll<HTMLElement>("tr[data-token]")) {
    const score = byToken.get(row.dataset.token ?? "");
    const [grade, impact] = [row.querySelector("[data-grade]"), row.querySelector("[data-impact]")];
    if (score === undefined || grade === null || impact === null) continue;
    grade.textContent = score.sample_n < ENOUGH_SAMPLES ? `(${score.grade})` : score.grade;
    impact.textContent = `${bps(score.impact_1k_bps)} / ${bps(score.impact_10k_bps)}`;
  }
}
