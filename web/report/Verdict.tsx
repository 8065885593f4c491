/** The verdict on a document in about twelve lines, the same as `assay verify` prints. */
import type { ComponentChildren } from "preact";
import { listText } from "../../attestor/view/findingWords.ts";
import type { JudgedView, ReportView } from "../../attestor/view/reportView.ts";
import { REPORT_WORDS, statedSentence } from "../../attestor/view/words.ts";
import type { Outcome } from "./service.ts";

interface VerdictProps extends Pick<Outcome, "trusted" | "restsOnService"> {
  readonly view: ReportView;
}

export function Verdict({ view, trusted, restsOnService }: VerdictProps) {
  const byService =
    "Everything that could be checked here holds, if you take this service's word for who it is.";
  return (
    <VerdictBox view={view} meaning={restsOnService ? byService : undefined}>
      {view.judged === null ? null : (
        <p class="soft small">
          No node was asked: the block, the guard's code, its keys then and now, and whether the trade was
          executed are not read from the chain. The command assay verify --rpc URL asks your own node.
        </p>
      )}
      <TrustNote trusted={trusted} />
    </VerdictBox>
  );
}

function TrustNote({ trusted }: Pick<VerdictProps, "trusted">) {
  if (trusted === null)
    return (
      <p class="trusting soft small">
        Offline: checked with what is in the file and in this program, and with what you gave.
      </p>
    );
  if (trusted.length === 0) return null;
  return (
    <p class="trusting small">
      <strong>Trusting this service for: {listText(trusted)}.</strong>{" "}
      <span class="soft">
        These came from the service that served this page. If you do not trust it, turn this off and give what
        you have from elsewhere.
      </span>
    </p>
  );
}

interface VerdictBoxProps {
  readonly view: ReportView;
  /** What the verdict means, where it is not what it always means. */
  readonly meaning?: string | undefined;
  readonly children?: ComponentChildren;
}

export function VerdictBox({ view, meaning, children }: VerdictBoxProps) {
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
      <p class="sentence">{text}</p>
      <p class="soft">{meaning ?? REPORT_WORDS.verdicts[verdict]}</p>
      <Summary lines={summary} />
      {children}
    </section>
  );
}

/** Lines without a label go on with the one before. */
function Summary({ lines }: { lines: ReportView["summary"] }) {
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
              <p key={text}>{text}</p>
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
      <p class="stamp">Not checked yet</p>
      <p class="sentence">{statedSentence(judged.trade, judged.decision)}</p>
      <p class="soft">This page judges the report again in your browser.</p>
      <noscript>
        <p>
          Checking needs JavaScript. What follows is the report as this service stored it; nothing here has
          checked it.
        </p>
      </noscript>
    </section>
  );
}
