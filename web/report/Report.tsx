/** A report below its verdict: the checks, what was executed, and all else closed. The same before and after it is judged. */
import { grouped } from "../../attestor/view/amounts.ts";
import { listText, shortAmount, valueText } from "../../attestor/view/findingWords.ts";
import type { CertificateView, JudgedView, LogView, ReportView } from "../../attestor/view/reportView.ts";
import { stepQuestion } from "../../attestor/view/stepWords.ts";
import { REPORT_WORDS } from "../../attestor/view/words.ts";
import { nameOf } from "../format.ts";
import { codeAnd, Folded, Moment, named, PageLink, type Row, Rows, Section } from "../parts.tsx";
import type { Executed, StoredTrade } from "../props.ts";
import { Facts } from "./Facts.tsx";
import { Findings } from "./Findings.tsx";

type Verdict = ReportView["verdict"];

interface ReportProps {
  /** null: nobody has judged it here yet. */
  readonly view: ReportView | null;
  /** What is shown of it; null: nothing, because it contradicts itself. */
  readonly judged: JudgedView | null;
  /** What the page's service says of the trade; null: the document is the reader's own. */
  readonly stored: Omit<StoredTrade, "judged"> | null;
}

export function Report({ view, judged, stored }: ReportProps) {
  const verdict = view?.verdict ?? null;
  return (
    <article class="report">
      {judged === null ? (
        <p>
          Nothing of the report is shown, because it contradicts itself or could not be judged again. The
          steps say why.
        </p>
      ) : (
        <>
          <Section id="findings" title="Checks" hint={findingsHint(judged, verdict)}>
            <Findings findings={judged.findings} isVouched={verdict === "VALID"} />
          </Section>
          {stored === null ? null : <ExecutedTrade judged={judged} stored={stored} />}
          <TradeInFull judged={judged} />
          <Signed judged={judged} isJudged={verdict !== null} />
          <Facts judged={judged} />
        </>
      )}
      {view === null ? null : <Steps steps={view.steps} isOpen={judged === null} />}
    </article>
  );
}

function findingsHint({ passed, findings }: JudgedView, verdict: Verdict | null): string {
  if (verdict === null) return "As the service states it";
  const counted = `${passed} of ${findings.length} checks pass.`;
  if (verdict === "VALID") return counted;
  return `${counted} The evidence compared with the limits of the policy. Whether the evidence is true is not confirmed.`;
}

interface ExecutedProps {
  readonly judged: JudgedView;
  readonly stored: Omit<StoredTrade, "judged">;
}

/** What came of the trade on the chain, by the service's word. */
function ExecutedTrade({ judged, stored: { executed, tokenPath } }: ExecutedProps) {
  const hint =
    executed === null
      ? "The guard executed this trade in a block that is final, by this service's word. The service was not told the transaction."
      : "This service read it from the guard's event, in a block that is final. Your browser did not ask the chain: compare it with a node or an explorer that you trust.";
  return (
    <Section id="executed" title="What was executed" hint={hint}>
      {executed === null ? null : <Rows of={executionRows(judged, executed)} />}
      {tokenPath === null ? null : (
        <p>
          <PageLink to={tokenPath}>{judged.trade.symbol} over time: premium, basis, funding</PageLink>
        </p>
      )}
    </Section>
  );
}

function executionRows({ tokens, block }: JudgedView, executed: Executed): Row[] {
  const { chain, blockNumber, explorer } = executed;
  const chainName = chain === null ? `chain ${block.chainId}` : nameOf("chains", chain, "en");
  return [
    ["Spent", <Amount raw={executed.amountInRaw} token={tokens.input} />],
    ["Received", <Amount raw={executed.amountOutRaw} token={tokens.output} />],
    [
      "Transaction",
      <>
        <code>{executed.transactionHash}</code>{" "}
        {explorer === null ? null : (
          <a href={explorer} rel="noreferrer">
            Open in an explorer
          </a>
        )}
      </>,
    ],
    ["Block", named(`${grouped(String(blockNumber))} on ${chainName}, final`, executed.blockHash)],
    ["Executed", <Moment seconds={executed.at} />],
  ];
}

function Amount({ raw, token }: { raw: string; token: JudgedView["tokens"]["input"] }) {
  const short = shortAmount(raw, token);
  const exact = valueText(raw, "raw", token);
  return (
    <>
      {short} {short === exact ? null : <small>exactly {exact}</small>}
    </>
  );
}

/** What a trade pays with and what it brings. */
export function symbolsOf({ side, symbol, settlementSymbol }: JudgedView["trade"]) {
  return side === "buy" ? { paid: settlementSymbol, got: symbol } : { paid: symbol, got: settlementSymbol };
}

/** What a trade does and by which policy: what a reader wants to know before its hashes. */
export function tradeRows({ trade, policy }: JudgedView): Row[] {
  const { paid, got } = symbolsOf(trade);
  const least = trade.minAmountOut === null ? "not known" : `${grouped(trade.minAmountOut)} ${got}`;
  return [
    ["Pays", `${grouped(trade.amountIn)} ${paid}`],
    ["Gets at least", least],
    ["Slippage accepted", `${trade.maxSlippageBps} bps`],
    ["Owner", <code>{trade.owner}</code>],
    ["Stock token", named(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
    ["Settlement token", named(trade.settlementSymbol, trade.settlementAddress)],
    ["Policy", named(`${policy.policyId} ${policy.version}`, policy.hash)],
  ];
}

function TradeInFull({ judged }: { judged: JudgedView }) {
  const { trade, block, registry, log } = judged;
  const rows = tradeRows(judged);
  if (trade.recipient !== trade.owner) rows.push(["Recipient", <code>{trade.recipient}</code>]);
  rows.push(
    ["Judged", <Moment seconds={judged.capturedAt} />],
    ["Block", named(`${block.number}, chain ${block.chainId}`, block.hash)],
    ["Registry", named(registry.version, registry.hash)],
    ["Job", codeAnd(judged.jobId, `, report version ${judged.version}`)],
    ["Evidence hash", <code>{judged.evidenceHash}</code>],
  );
  if (log !== null && log.origin !== null) rows.push(["Decision log", logText(log)]);
  return (
    <Folded id="trade" title="The trade in full" hint="Amounts, times, every address and hash.">
      <Rows of={rows} />
    </Folded>
  );
}

/** Whether the proof holds says its step. */
function logText({ origin, index, size, signedBy }: LogView): string {
  const entry = `${origin}, entry ${index} of ${size}`;
  return signedBy.length === 0 ? entry : `${entry}; signed, in its own words, by ${listText(signedBy)}`;
}

interface SignedProps {
  readonly judged: JudgedView;
  /** Whether somebody looked at the signature. */
  readonly isJudged: boolean;
}

/** The certificate, and the event that the guard gives when it carries the trade out. */
function Signed({ judged: { certificate, event }, isJudged }: SignedProps) {
  if (certificate === null && event.claimed.length === 0) return null;
  const rows: Row[] = certificate === null ? [] : certificateRows(certificate, isJudged);
  rows.push(
    ["Guard", codeAnd(event.guard, `, chain ${event.chainId}`)],
    ["jobId in its event", <code>{event.jobIdHash}</code>],
  );
  for (const { transactionHash, state } of event.claimed)
    rows.push(["The document says that it was carried out by", codeAnd(transactionHash, ` (${state})`)]);
  return (
    <Folded id="signed" title="What was signed" hint={isJudged ? certificateHint(certificate) : undefined}>
      <Rows of={rows} />
      <p class="soft small">
        When the guard executes this trade it emits the event TradeExecuted with the hashes of job, intent and
        evidence. The chain was not asked for it here.
      </p>
    </Folded>
  );
}

function certificateRows(certificate: CertificateView, isJudged: boolean): Row[] {
  const { issuedAt, expiresAt, signer, intentHash } = certificate;
  const rows: Row[] = [
    ["From", <Moment seconds={issuedAt} />],
    ["Until", <Moment seconds={expiresAt} />],
    ["Trade intent", <code>{intentHash}</code>],
  ];
  if (isJudged)
    rows.push(["Signed by", signer === null ? "nobody with a valid signature" : <code>{signer}</code>]);
  return rows;
}

function certificateHint(certificate: CertificateView | null): string {
  if (certificate === null) return "The document has no certificate.";
  return certificate.holds
    ? "It binds this very trade to this evidence, and its signature holds."
    : "As the document has it. It does not hold: see the steps.";
}

/** Open where nothing else is shown: then the steps are what there is to read. */
function Steps({ steps, isOpen }: { steps: ReportView["steps"]; isOpen: boolean }) {
  const asked = steps.filter(({ outcome }) => outcome !== "not asked");
  const ok = asked.filter(({ outcome }) => outcome === "ok").length;
  const hint = `${asked.length} steps, ${ok} of them hold. What decides comes first.`;
  return (
    <Folded id="steps" title="Steps of the verification" hint={hint} isOpen={isOpen}>
      <ol class="stepwise">
        {steps.map(({ name, outcome, details }) => (
          <li key={name} data-step={name} data-outcome={outcome}>
            <span class={`outcome ${outcome.replace(" ", "-")}`}>{REPORT_WORDS.outcomes[outcome]}</span>
            <div>
              <p>
                {stepQuestion(name)} <code>{name}</code>
              </p>
              {details.map((detail) => (
                <p key={detail} class="small">
                  {detail}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </Folded>
  );
}
