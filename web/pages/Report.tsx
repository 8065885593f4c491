/** /reports/<evidenceHash>: a published report. The service writes it down as it is stored; the page judges it. */
import { Island } from "../island.tsx";
import { PageLink } from "../parts.tsx";
import type { ReportPage } from "../props.ts";
import { Published } from "../report/Checked.tsx";
import type { Content } from "./Document.tsx";

const MISSING = "No report is published under this hash";

export function reportContent({ hash, stored }: ReportPage): Content {
  if (stored === null) return { title: MISSING, inEnglish: true, main: <Missing /> };
  const path = `/evidence/${hash}`;
  return {
    title: `Report ${hash.slice(0, 10)}…`,
    inEnglish: true,
    islands: ["report.tsx"],
    source: path,
    main: (
      <>
        <h1>Report</h1>
        <p class="mono soft hash">{hash}</p>
        <Island name="report" props={{ path, stored }}>
          <Published path={path} stored={stored} judge={null} get={async () => null} save={() => {}} />
        </Island>
        <p>
          <a href={path} download={`report-${hash.slice(0, 10)}.json`}>
            The report itself, as a file
          </a>
        </p>
      </>
    ),
  };
}

function Missing() {
  return (
    <div class="sheet">
      <h1>{MISSING}</h1>
      <p>
        A report is published once the guard has executed its trade and the block is final. Other reports
        belong to the agents that requested them. You can check any report that you have.
      </p>
      <p>
        <PageLink to="/verify">Verify a report that you have</PageLink>
      </p>
    </div>
  );
}
