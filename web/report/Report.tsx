/** A report below its verdict: the checks, what was executed, and all else closed. The same before and after it is judged. */
import { grouped } from "../../attestor/view/amounts.ts";
import { shortAmount, valueText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type { JudgedView, ReportView } from "../../attestor/view/reportView.ts";
import { nameOf } from "../format.ts";
import { Moment, PageLink, Rows, Section } from "../parts.tsx";
import type { Executed, StoredTrade } from "../props.ts";
import words from "../words/report.json" with { type: "json" };
import { Certificate, ChainEvent, Log, Steps, Trade } from "./Details.tsx";
import { Facts, Figures } from "./Facts.tsx";
import { Findings } from "./Findings.tsx";

export interface ReportProps {
  /** null: nobody has judged it here yet. */
  readonly view: ReportView | null;
  /** What is shown of it; null: nothing, because it contradicts itself. */
  readonly judged: JudgedView | null;
  /** What the page's service says of the trade; null: the document is the reader's own. */
  readonly stored: Omit<StoredTrade, "judged"> | null;
}

export function Report({ view, judged, stored }: ReportProps) {
  return (
    <article class="report">
      {judged === null ? (
        <p>{words.notShown}</p>
      ) : (
        <Judged judged={judged} stored={stored} verdict={view?.verdict ?? null} />
      )}
      {view === null ? null : <Steps steps={view.steps} isOpen={judged === null} />}
    </article>
  );
}

interface JudgedProps {
  readonly judged: JudgedView;
  readonly stored: ReportProps["stored"];
  /** null: nobody has judged it here. */
  readonly verdict: ReportView["verdict"] | null;
}

function Judged({ judged, stored, verdict }: JudgedProps) {
  return (
    <>
      <Section id="findings" title={words.findings} hint={findingsHint(judged, verdict)}>
        <Findings findings={judged.findings} isVouched={verdict === "VALID"} />
      </Section>
      {stored === null ? null : <ExecutedTrade judged={judged} stored={stored} />}
      <Trade judged={judged} />
      <Certificate certificate={judged.certificate} isJudged={verdict !== null} />
      <Log log={judged.log} />
      <Facts judged={judged} />
      <Figures judged={judged} />
      <ChainEvent event={judged.event} />
    </>
  );
}

function findingsHint({ passed, findings }: JudgedView, verdict: JudgedProps["verdict"]): string {
  if (verdict === null) return words.stated;
  const counted = filled(words.findingsOf, { passed, all: findings.length });
  return verdict === "VALID" ? counted : `${counted} ${words.findingsIf}`;
}

interface ExecutedProps {
  readonly judged: JudgedView;
  readonly stored: Omit<StoredTrade, "judged">;
}

/** What came of the trade on the chain, by the service's word. */
function ExecutedTrade({ judged, stored: { executed, tokenPath } }: ExecutedProps) {
  return (
    <Section
      id="executed"
      title={words.executed}
      hint={executed === null ? words.noTransaction : words.executedHint}
    >
      {executed === null ? null : <Rows of={executionRows(judged, executed)} />}
      {tokenPath === null ? null : (
        <p>
          <PageLink to={tokenPath}>{filled(words.tokenPage, { symbol: judged.trade.symbol })}</PageLink>
        </p>
      )}
    </Section>
  );
}

function executionRows({ tokens, block }: JudgedView, executed: Executed) {
  const { chain, blockNumber } = executed;
  const place = filled(words.inBlock, {
    block: grouped(String(blockNumber)),
    chain: chain === null ? `${words.chain} ${block.chainId}` : nameOf("chains", chain, "en"),
  });
  return [
    [words.spent, <Amount raw={executed.amountInRaw} token={tokens.input} />],
    [words.received, <Amount raw={executed.amountOutRaw} token={tokens.output} />],
    [words.transaction, <Transaction executed={executed} />],
    [
      words.block,
      <>
        {place} <code>{executed.blockHash}</code>
      </>,
    ],
    [words.executedAt, <Moment seconds={executed.at} />],
  ] as const;
}

function Transaction({ executed: { transactionHash, explorer } }: { executed: Executed }) {
  return (
    <>
      <code>{transactionHash}</code>{" "}
      {explorer === null ? null : (
        <a href={explorer} rel="noreferrer">
          {words.explorer}
        </a>
      )}
    </>
  );
}

function Amount({ raw, token }: { raw: string; token: JudgedView["tokens"]["input"] }) {
  const short = shortAmount(raw, token);
  const exact = valueText(raw, "raw", token);
  return (
    <>
      {short} {short === exact ? null : <small>{filled(words.txExactly, { amount: exact })}</small>}
    </>
  );
}
