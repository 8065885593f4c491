/** /reports/<evidenceHash>: a published report. The service writes it down as it is stored; the page judges it. */
import { z } from "zod";
import { factsOf } from "../../attestor/factKinds.ts";
import { Bytes32 } from "../../attestor/values/primitives.ts";
import { printableAll } from "../../attestor/view/printable.ts";
import { judgedView } from "../../attestor/view/reportView.ts";
import type { Database } from "../../database/open.ts";
import type { MarketAsset } from "../../market/queries.ts";
import type { StoredReport } from "../jobs/schemas.ts";
import type { DecisionLog } from "../log/log.ts";
import { type ExecutedTrade, findExecutedTrade, findPublicEvidence } from "../published/publicTrades.ts";
import type { Config } from "../settings/config.ts";
import { html } from "./html.ts";
import { pathFor, type Reader } from "./language.ts";
import type { Page, PageContent } from "./page.ts";
import { executedPart } from "./reportExecuted.ts";
import { reportTables } from "./reportTables.ts";
import { type ServiceWord, type ServiceWordDeps, serviceWord } from "./serviceWord.ts";
import words from "./words/report.json" with { type: "json" };

export interface ReportPageDeps extends ServiceWordDeps {
  readonly db: Database;
  readonly log: Pick<DecisionLog, "proofOf">;
  readonly assets: readonly MarketAsset[];
  readonly publicEvidence: Config["publicEvidence"];
}

interface Found {
  readonly report: StoredReport;
  readonly executed: ExecutedTrade | null;
  readonly word: ServiceWord;
}

export function reportPage(deps: ReportPageDeps): Page<{ hash: string }, unknown> {
  const { db, log, publicEvidence } = deps;
  return {
    path: "/reports/:hash",
    name: "report",
    params: z.object({ hash: Bytes32 }),
    key: ({ params }) => params.hash,
    async content({ params: { hash }, reader }) {
      const evidence = publicEvidence === "off" ? null : await findPublicEvidence(db, log, hash);
      if (evidence === null) return missing(reader);
      const { report } = evidence;
      const executed = await findExecutedTrade(db, report);
      return foundPage({ report, executed, word: await serviceWord(deps) }, deps.assets, reader);
    },
  };
}

function foundPage(
  { report, executed, word }: Found,
  assets: readonly MarketAsset[],
  reader: Reader,
): PageContent {
  const { evidence, evidenceHash } = report;
  const facts = factsOf(evidence, report.proofs !== undefined);
  const judged = printableAll(
    judgedView(report, { steps: [], reservations: [], facts, intentHash: null, issuance: null }, report),
  );
  const source = `/evidence/${evidenceHash}`;
  const props = JSON.stringify({ evidence: source, service: word });
  return {
    title: `${words.title} ${evidenceHash.slice(0, 10)}…`,
    inEnglish: true,
    islands: ["report"],
    source,
    main: html`<h1>${words.title}</h1>
<p class="mono soft hashline">${evidenceHash}</p>
<div data-island="report" data-props="${props}"><div class="report">
<section class="ruling unjudged"><p class="stamp">${words.checked}</p><p class="meaning">${words.checkedHint}</p><noscript><p>${words.byScript}</p></noscript></section>
${reportTables(judged, executedPart(judged, executed, { reader, assets }))}
</div></div>
<p class="after"><a href="${source}" download="report-${evidenceHash.slice(0, 10)}.json">${words.document}</a></p>`,
  };
}

function missing(reader: Reader): PageContent {
  return {
    title: words.missing,
    inEnglish: true,
    status: 404,
    main: html`<section class="sheet"><h1>${words.missing}</h1><p>${words.missingHint}</p><p><a href="${pathFor(reader, "/verify")}">${words.here}</a></p></section>`,
  };
}
