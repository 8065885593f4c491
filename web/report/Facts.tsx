/** What a report was judged on: every fact with what it rests on, and the figures that follow. */
import { valueText } from "../../attestor/view/findingWords.ts";
import type { FactRow, JudgedView } from "../../attestor/view/reportView.ts";
import { agoText } from "../../attestor/view/times.ts";
import { figureName, REPORT_WORDS } from "../../attestor/view/words.ts";
import { NONE } from "../format.ts";
import { Folded, Rows, Short, Table } from "../parts.tsx";

export function Facts({ judged: { facts, figures, isBlockKnown } }: { judged: JudgedView }) {
  const counts = (["proved", "signed", "observed", "stated"] as const).map(
    (kind) => `${facts.filter((fact) => fact.kind === kind).length} ${kind}`,
  );
  const isConditional = !isBlockKnown && facts.some(({ kind }) => kind === "proved");
  return (
    <Folded id="facts" title="Facts and figures" hint={`${facts.length} facts: ${counts.join(", ")}.`}>
      {isConditional ? <p class="soft">{REPORT_WORDS.kinds.provedIf}</p> : null}
      <Table
        name="Facts"
        kind="facts"
        heads={["Fact", "Value", "Kind of proof", "Age at judgement", "Rests on", "Source"]}
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
      <p class="soft">What follows from the facts; worked out again here:</p>
      <Rows
        of={figures.map(({ name, value, unit, token }) => [
          figureName(name),
          value === null ? "not known" : valueText(value, unit, token),
        ])}
      />
    </Folded>
  );
}

function ageText(seconds: number | null): string {
  if (seconds === null) return NONE;
  const age = agoText(seconds, "en");
  return seconds < 0 ? `${age} ahead` : age;
}

function Kind({ kind, isBlockKnown }: { kind: FactRow["kind"]; isBlockKnown: boolean }) {
  const explained = REPORT_WORDS.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
  return (
    <span class={`kind ${kind}`} title={explained}>
      {kind}
    </span>
  );
}
