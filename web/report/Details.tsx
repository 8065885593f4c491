/** The parts of a report that most readers leave closed: the trade in full, certificate, log, event, steps, the document. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "../../attestor/view/amounts.ts";
import { listText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type {
  CertificateView,
  EventView,
  JudgedView,
  LogView,
  ReportView,
} from "../../attestor/view/reportView.ts";
import { stepQuestion } from "../../attestor/view/stepWords.ts";
import { REPORT_WORDS } from "../../attestor/view/words.ts";
import { Folded, Moment, named, Rows } from "../parts.tsx";
import words from "../words/report.json" with { type: "json" };
import { inFields } from "./inFields.ts";

export function Trade({ judged }: { judged: JudgedView }) {
  const { trade, block, policy, registry } = judged;
  const { paid, got } = symbolsOf(trade);
  const least = trade.minAmountOut === null ? words.notKnown : `${grouped(trade.minAmountOut)} ${got}`;
  return (
    <Folded id="trade" title={words.asked} hint={words.particularsHint}>
      <Rows
        of={[
          [words.pays, `${grouped(trade.amountIn)} ${paid}`],
          [words.getsAtLeast, least],
          [words.slippage, `${trade.maxSlippageBps} bps`],
          [words.judgedAt, <Moment seconds={judged.capturedAt} />],
          [words.block, named(`${block.number}, ${words.chain} ${block.chainId}`, block.hash)],
          [words.stock, named(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
          [words.settlement, <code>{trade.settlementAddress}</code>],
          [words.owner, <code>{trade.owner}</code>],
          trade.recipient !== trade.owner && [words.recipient, <code>{trade.recipient}</code>],
          [words.policy, named(`${policy.policyId} ${policy.version}`, policy.hash)],
          [words.registry, named(registry.version, registry.hash)],
          [words.job, codeAnd(judged.jobId, `, ${words.version} ${judged.version}`)],
          [words.evidenceHash, <code>{judged.evidenceHash}</code>],
        ]}
      />
    </Folded>
  );
}

/** What the trade pays with and what it brings. */
export function symbolsOf({ side, symbol, settlementSymbol }: JudgedView["trade"]) {
  return side === "buy" ? { paid: settlementSymbol, got: symbol } : { paid: symbol, got: settlementSymbol };
}

const codeAnd = (code: string, more: string): ComponentChildren => (
  <>
    <code>{code}</code>
    {more}
  </>
);

interface CertificateProps {
  /** null: no trade was certified with the document, which the verdict says. */
  readonly certificate: CertificateView | null;
  /** Whether somebody looked at its signature. */
  readonly isJudged: boolean;
}

export function Certificate({ certificate, isJudged }: CertificateProps) {
  if (certificate === null) return null;
  const { issuedAt, expiresAt, signer, intentHash, holds } = certificate;
  const hint = holds ? words.certificateHolds : words.certificateFails;
  return (
    <Folded id="certificate" title={words.certificate} hint={isJudged ? hint : undefined}>
      <Rows
        of={[
          [words.from, <Moment seconds={issuedAt} />],
          [words.until, <Moment seconds={expiresAt} />],
          isJudged && [words.signer, signer === null ? words.nobody : <code>{signer}</code>],
          [words.intentHash, <code>{intentHash}</code>],
        ]}
      />
    </Folded>
  );
}

export function ChainEvent({ event }: { event: EventView }) {
  const { guard, chainId, jobIdHash, evidenceHash, intentHash, claimed } = event;
  return (
    <Folded id="event" title={words.event} hint={words.eventHint}>
      <Rows
        of={[
          [words.guard, codeAnd(guard, `, ${words.chain} ${chainId}`)],
          [words.jobIdHash, <code>{jobIdHash}</code>],
          [words.evidenceHash, <code>{evidenceHash}</code>],
          intentHash !== null && [words.intentHash, <code>{intentHash}</code>],
          ...claimed.map(
            ({ transactionHash, state }) => [words.claimed, codeAnd(transactionHash, ` (${state})`)] as const,
          ),
        ]}
      />
    </Folded>
  );
}

/** A sentence of the method. */
function Method({ children }: { children: string }) {
  return <p class="small">{inFields(children)}</p>;
}

function OutcomeMark({ outcome }: { outcome: LogView["outcome"] }) {
  return <span class={`outcome ${outcome.replace(" ", "-")}`}>{REPORT_WORDS.outcomes[outcome]}</span>;
}

export function Log({ log }: { log: LogView | null }) {
  if (log === null) return null;
  const { origin, index, size, signedBy, outcome, details } = log;
  const entry = filled(words.logEntry, { index: String(index), size: String(size) });
  const signed = signedBy.length === 0 ? "–" : filled(words.logSigned, { names: listText(signedBy) });
  return (
    <Folded id="log" title={words.log} hint={stepQuestion("log")}>
      <p>
        <OutcomeMark outcome={outcome} />
      </p>
      {details.map((detail) => (
        <Method key={detail}>{detail}</Method>
      ))}
      {origin === null ? null : (
        <Rows
          of={[
            [words.log, origin],
            [entry, signed],
          ]}
        />
      )}
    </Folded>
  );
}

/** Open where nothing else is shown: then the steps are what there is to read. */
export function Steps({ steps, isOpen }: { steps: ReportView["steps"]; isOpen: boolean }) {
  const asked = steps.filter(({ outcome }) => outcome !== "not asked");
  const ok = asked.filter(({ outcome }) => outcome === "ok").length;
  return (
    <details class="part folded" id="steps" open={isOpen}>
      <summary>
        <h2>{words.steps}</h2>
        <span class="soft">{filled(words.stepsCount, { all: asked.length, ok })}</span>
      </summary>
      <ol class="stepwise">
        {steps.map(({ name, outcome, details }) => (
          <li key={name} data-step={name} data-outcome={outcome}>
            <OutcomeMark outcome={outcome} />
            <div>
              <p>
                {stepQuestion(name)} <code>{name}</code>
              </p>
              {details.map((detail) => (
                <Method key={detail}>{detail}</Method>
              ))}
            </div>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** More of a document than this makes a page slow, and nobody reads it. */
const SHOWN_LENGTH = 200_000;

/** The document's text, which is put there when it is opened. @param save hands it over as a file */
export function Raw({ text, save }: { text: string; save: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const gaps = { shown: grouped(String(SHOWN_LENGTH)), all: grouped(String(text.length)) };
  return (
    <details class="part folded" id="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>{words.raw}</h2>
        <span class="soft">{words.rawHint}</span>
      </summary>
      <p>
        <button type="button" onClick={save}>
          {words.save}
        </button>{" "}
        {text.length > SHOWN_LENGTH ? filled(words.rawCut, gaps) : null}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by the keyboard */}
      {isOpen ? <pre tabIndex={0}>{text.slice(0, SHOWN_LENGTH)}</pre> : null}
    </details>
  );
}
