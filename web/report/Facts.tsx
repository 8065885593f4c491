/** What a report was judged on: every fact with what it rests on, and the figures that follow. */
import { valueText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type { FactRow, JudgedView } from "../../attestor/view/reportView.ts";
import { agoText } from "../../attestor/view/times.ts";
import { figureName, REPORT_WORDS } from "../../attestor/view/words.ts";
import { NONE } from "../format.ts";
import { Folded, Rows, Short, Table } from "../parts.tsx";
import words from "../words/report.json" with { type: "json" };

export function Facts({ judged: { facts, isBlockKnown } }: { judged: JudgedView }) {
  const number = (kind: FactRow["kind"]) => facts.filter((fact) => fact.kind === kind).length;
  const hint = filled(words.factsHint, {
    total: facts.length,
    proved: number("proved"),
    signed: number("signed"),
    observed: number("observed"),
    stated: number("stated"),
  });
  const isConditional = !isBlockKnown && number("proved") > 0;
  return (
    <Folded id="facts" title={words.facts} hint={hint}>
      {isConditional ? <p class="soft">{REPORT_WORDS.kinds.provedIf}</p> : null}
      <Table
        name={words.facts}
        kind="facts"
        heads={[words.fact, words.value, words.kind, words.age, words.by, words.source]}
        rows={facts.map((fact) => [
          <Short text={fact.name} />,
          fact.value === null ? NONE : <Short text={valueText(fact.value, fact.unit)} />,
          <Kind kind={fact.kind} isBlockKnown={isBlockKnown} />,
          ageText(fact.ageSeconds),
          // A service may call its sources whatever it likes, "signed by the exchange" too.
          <Short text={fact.source === null || fact.kind === "signed" ? fact.by : JSON.stringify(fact.by)} />,
          fact.source === null ? NONE : JSON.stringify(fact.source),
        ])}
      />
    </Folded>
  );
}

function ageText(seconds: number | null): string {
  if (seconds === null) return NONE;
  const age = agoText(seconds, "en");
  return seconds < 0 ? filled(words.ahead, { age }) : age;
}

function Kind({ kind, isBlockKnown }: { kind: FactRow["kind"]; isBlockKnown: boolean }) {
  const explained = REPORT_WORDS.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
  return (
    <span class={`kind ${kind}`} title={explained}>
      {words.kindNames[kind]}
    </span>
  );
}

export function Figures({ judged }: { judged: JudgedView }) {
  return (
    <Folded id="figures" title={words.figures} hint={words.figuresHint}>
      <Rows
        of={judged.figures.map(({ name, value, unit, token }) => [
          figureName(name),
          value === null ? words.notKnown : valueText(value, unit, token),
        ])}
      />
    </Folded>
  );
}
