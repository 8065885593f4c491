/** The checks of a report as a table that is read at one glance: what was observed, and what would pass. */
import { type FindingView, findingCells } from "../../attestor/view/findingWords.ts";
import { REPORT_WORDS } from "../../attestor/view/words.ts";
import { Short } from "../parts.tsx";

const MARKS = { pass: "✓", fail: "✗", unavailable: "?" } as const;

interface FindingsProps {
  readonly findings: readonly FindingView[];
  /** The evidence is what a trusted service judged; else its findings hold only if it is true. */
  readonly isVouched: boolean;
}

export function Findings({ findings, isVouched }: FindingsProps) {
  return (
    <table class={isVouched ? "findings vouched" : "findings"}>
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col" class="number">
            Observed
          </th>
          <th scope="col" class="wide">
            Of its limit
          </th>
          <th scope="col">Passes</th>
        </tr>
      </thead>
      <tbody>
        {findings.map((finding, index) => (
          <Finding key={`${index} ${finding.check}`} finding={finding} isVouched={isVouched} />
        ))}
      </tbody>
    </table>
  );
}

interface FindingProps {
  readonly finding: FindingView;
  readonly isVouched: boolean;
}

function Finding({ finding, isVouched }: FindingProps) {
  const { check, question, outcome, message } = finding;
  const { name, observed, limit, used } = findingCells(finding);
  const outcomes = isVouched ? REPORT_WORDS.findings : REPORT_WORDS.findingsIf;
  return (
    <tr class={`finding ${outcome}`} data-check={check} data-outcome={outcome}>
      <th scope="row" title={question === "" ? undefined : question}>
        <span class="tick" aria-hidden="true">
          {isVouched || outcome !== "pass" ? MARKS[outcome] : "·"}
        </span>
        <span class="hidden">{outcomes[outcome]}: </span>
        {name}
        {outcome === "pass" ? null : <small>{message}</small>}
      </th>
      <td class="number">
        <Short text={observed} />
      </td>
      <td class="wide">{used === null ? null : <Used share={used} />}</td>
      <td>
        <Short text={limit ?? "–"} />
      </td>
    </tr>
  );
}

/** How much of its limit is used up; the figures beside it say the same. */
function Used({ share }: { share: number }) {
  return (
    <svg class="used" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="limit" width="100" height="6" rx="3" />
      <rect width={Math.round(share * 100)} height="6" rx="3" />
    </svg>
  );
}
