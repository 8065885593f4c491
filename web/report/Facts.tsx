/** What a report was judged on: every fact with what it rests on, and the figures that follow. */
import { valueText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type { FactRow, JudgedView } from "../../attestor/view/reportView.ts";
import { agoText } from "../../attestor/view/times.ts";
import { figureName, REPORT_WORDS } from "../../attestor/view/words.ts";
import { Folded, Rows } from "../pieces.tsx";
import { Amount, Short, VIEW_WORDS as words } from "./Parts.tsx";

export function Facts({ judged }: { judged: JudgedView }) {
  const { facts } = judged;
  const n = (kind: FactRow["kind"]) => facts.filter((fact) => fact.kind === kind).length;
  const kinds = { proved: n("proved"), signed: n("signed"), observed: n("observed"), stated: n("stated") };
  const hint = filled(words.factsHint, { total: facts.length, ...kinds });
  const isConditional = !judged.isBlockKnown && facts.some(({ kind }) => kind === "proved");
  return (
    <Folded id="facts" title={words.facts} hint={hint}>
      {isConditional ? <p class="soft">{REPORT_WORDS.kinds.provedIf}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label={words.facts}>
        <table class="facts">
          <thead>
            <tr>
              {[words.fact, words.value, words.kind, words.age, words.by, words.source].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {facts.map((fact, index) => (
              <Fact key={`${index} ${fact.name}`} fact={fact} isBlockKnown={judged.isBlockKnown} />
            ))}
          </tbody>
        </table>
      </section>
    </Folded>
  );
}

function Fact({ fact, isBlockKnown }: { fact: FactRow; isBlockKnown: boolean }) {
  const { name, value, unit, kind, ageSeconds, by, source } = fact;
  // A service may call its sources whatever it likes, "signed by the exchange" too.
  const isQuoted = source !== null && kind !== "signed";
  const explained = REPORT_WORDS.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
  return (
    <tr>
      <th scope="row">
        <Short>{name}</Short>
      </th>
      <td>
        {value === null ? (
          "–"
        ) : unit === null ? (
          <Short>{valueText(value, null)}</Short>
        ) : (
          <Amount value={value} unit={unit} />
        )}
      </td>
      <td>
        <span class={`kind ${kind}`} title={explained}>
          {words.kindNames[kind]}
        </span>
      </td>
      <td class="number">
        {ageSeconds === null
          ? "–"
          : ageSeconds < 0
            ? filled(words.ahead, { age: agoText(ageSeconds, "en") })
            : agoText(ageSeconds, "en")}
      </td>
      <td class="by">
        <Short>{isQuoted ? JSON.stringify(by) : by}</Short>
      </td>
      <td>{source === null ? "–" : JSON.stringify(source)}</td>
    </tr>
  );
}

export function Figures({ judged }: { judged: JudgedView }) {
  return (
    <Folded id="figures" title={words.figures} hint={words.figuresHint}>
      <Rows
        of={judged.figures.map(({ name, value, unit, token }) => [
          figureName(name),
          value === null ? words.notKnown : <Amount value={value} unit={unit} token={token} />,
        ])}
      />
    </Folded>
  );
}
