/** The verdict on a document in about twelve lines, the same as `assay verify` prints. */
import type { ComponentChildren } from "preact";
import { listText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type { JudgedView, ReportView } from "../../attestor/view/reportView.ts";
import { REPORT_WORDS, statedSentence } from "../../attestor/view/words.ts";
import words from "../words/report.json" with { type: "json" };
import { inFields } from "./inFields.ts";

/** What the verdict rests on that the service itself said; empty: nothing. */
export type Trusted = readonly ("guard" | "keys" | "logKeys" | "registry" | "policies" | "samples")[];

interface VerdictProps {
  readonly view: ReportView;
  /** null: the service was not asked. */
  readonly trusted: Trusted | null;
  /** It would not be VALID without the service's own word. */
  readonly restsOnService: boolean;
}

export function Verdict({ view, trusted, restsOnService }: VerdictProps) {
  return (
    <VerdictBox view={view} meaning={restsOnService ? words.validByService : undefined}>
      {view.judged === null ? null : <p class="soft small">{words.noChain}</p>}
      <TrustNote trusted={trusted} />
    </VerdictBox>
  );
}

function TrustNote({ trusted }: Pick<VerdictProps, "trusted">) {
  if (trusted === null) return <p class="trusting soft small">{words.offlineNote}</p>;
  if (trusted.length === 0) return null;
  const names = listText(trusted.map((each) => words.trusts[each]));
  return (
    <p class="trusting small">
      <strong>{filled(words.trusting, { names })}</strong> <span class="soft">{words.trustingHint}</span>
    </p>
  );
}

interface VerdictBoxProps {
  readonly view: ReportView;
  /** What the verdict means, where it is not what it always means. */
  readonly meaning?: string | undefined;
  /** Says a sentence that names options of the command. */
  readonly say?: (sentence: string) => string;
  readonly children?: ComponentChildren;
}

export function VerdictBox({ view, meaning, say = inFields, children }: VerdictBoxProps) {
  const { verdict, marks, text, summary } = view;
  return (
    <section class={`ruling ${verdict.toLowerCase()}`} data-verdict={verdict}>
      <p class="stamp">
        {verdict}
        {marks.map((mark) => (
          <span key={mark} class="mark">
            {mark}
          </span>
        ))}
      </p>
      <p class="sentence">{say(text)}</p>
      <p class="soft">{meaning ?? REPORT_WORDS.verdicts[verdict]}</p>
      <Summary lines={summary} say={say} />
      {children}
    </section>
  );
}

interface SummaryProps {
  readonly lines: ReportView["summary"];
  say(sentence: string): string;
}

/** Lines without a label go on with the one before. */
function Summary({ lines, say }: SummaryProps) {
  const groups: { readonly label: string; readonly texts: string[] }[] = [];
  for (const { label, text } of lines) {
    if (label !== "") groups.push({ label, texts: [] });
    groups.at(-1)?.texts.push(text);
  }
  if (groups.length === 0) return null;
  return (
    <dl class="rows summary">
      {groups.map(({ label, texts }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {texts.map((text) => (
              <p key={text}>{say(text)}</p>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Before anything is judged: what the service states, in the place of the verdict. */
export function NotChecked({ judged }: { judged: JudgedView }) {
  return (
    <section class="ruling unjudged">
      <p class="stamp">{words.notChecked}</p>
      <p class="sentence">{statedSentence(judged.trade, judged.decision)}</p>
      <p class="soft meaning">{words.notCheckedHint}</p>
      <noscript>
        <p>{words.byScript}</p>
      </noscript>
    </section>
  );
}
