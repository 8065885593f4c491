/** The verdict on a document, in the words of `assay verify`. */
import type { ComponentChildren } from "preact";
import { listText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type { ReportView } from "../../attestor/view/reportView.ts";
import { REPORT_WORDS } from "../../attestor/view/words.ts";
import { inFields } from "./inFields.ts";
import { VIEW_WORDS as words } from "./Parts.tsx";

/** What the verdict rests on that the service itself said; empty: nothing. */
export type Trusted = readonly ("guard" | "keys" | "logKeys" | "registry" | "policies" | "samples")[];

export interface VerdictProps {
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
      {trusted === null ? (
        <p class="trusting soft">{words.offlineNote}</p>
      ) : trusted.length === 0 ? null : (
        <p class="trusting">
          <strong>
            {filled(words.trusting, {
              names: listText(trusted.map((each) => words.trusts[each])),
            })}
          </strong>{" "}
          <span class="soft">{words.trustingHint}</span>
        </p>
      )}
    </VerdictBox>
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

/** What `assay verify` prints, in its words. */
export function VerdictBox({ view, meaning, say = sayInFields, children }: VerdictBoxProps) {
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

const sayInFields = (sentence: string) => inFields(sentence, words.fields);

interface SummaryProps {
  readonly lines: ReportView["summary"];
  say(sentence: string): string;
}

function Summary({ lines, say }: SummaryProps) {
  if (lines.length === 0) return null;
  const groups: { readonly label: string; readonly texts: string[] }[] = [];
  for (const { label, text } of lines) {
    if (label !== "") groups.push({ label, texts: [] });
    groups.at(-1)?.texts.push(text);
  }
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
