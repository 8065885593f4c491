/** /reports/<evidenceHash>: a published report. The service writes it down as it is stored; the page judges it. */
import { Island } from "../island.tsx";
import { PageLink } from "../parts.tsx";
import type { ReportPage } from "../props.ts";
import { Published } from "../report/Published.tsx";
import words from "../words/report.json" with { type: "json" };
import type { Content } from "./Document.tsx";

export function reportContent({ hash, stored }: ReportPage): Content {
  if (stored === null) return { title: words.missing, inEnglish: true, main: <Missing /> };
  const path = `/evidence/${hash}`;
  return {
    title: `${words.pageTitle} ${hash.slice(0, 10)}…`,
    inEnglish: true,
    islands: ["report.tsx"],
    source: path,
    main: (
      <>
        <h1>{words.pageTitle}</h1>
        <p class="mono soft hash">{hash}</p>
        <Island name="report" props={{ path, stored }}>
          <Published path={path} stored={stored} judge={null} get={async () => null} save={() => {}} />
        </Island>
        <p>
          <a href={path} download={`report-${hash.slice(0, 10)}.json`}>
            {words.document}
          </a>
        </p>
      </>
    ),
  };
}

function Missing() {
  return (
    <div class="sheet">
      <h1>{words.missing}</h1>
      <p>{words.missingHint}</p>
      <p>
        <PageLink to="/verify">{words.here}</PageLink>
      </p>
    </div>
  );
}
