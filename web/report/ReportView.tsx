/** A verification as a page shows it: the verdict, what was asked, findings, facts, what was signed and logged, the steps. */
import type { ComponentChildren } from "preact";
import { type FindingView, findingSentence, listText } from "../../attestor/view/findingWords.ts";
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
import { Folded, named, Rows, Section } from "../pieces.tsx";
import { Facts, Figures } from "./Facts.tsx";
import { inFields } from "./inFields.ts";
import { Amount, Moment, VIEW_WORDS as words } from "./Parts.tsx";
import { Verdict, type VerdictProps } from "./Verdict.tsx";

export interface ReportProps extends VerdictProps {
  /** What the page's service says of the trade's execution, as the page has it. */
  readonly executed?: Element | null;
  /** Shown below the verdict. */
  readonly children?: ComponentChildren;
}

export function Report({ view, trusted, restsOnService, executed = null, children }: ReportProps) {
  const { verdict, judged } = view;
  return (
    <article class="report">
      <Verdict view={view} trusted={trusted} restsOnService={restsOnService} />
      {children}
      {judged === null ? (
        <p class="part">{words.notShown}</p>
      ) : (
        <Judged judged={judged} isValid={verdict === "VALID"} executed={executed} />
      )}
      {judged === null ? null : (
        <>
          <Facts judged={judged} />
          <Figures judged={judged} />
          <Folded id="particulars" title={words.particulars} hint={words.particularsHint}>
            <Names judged={judged} />
          </Folded>
          <Event event={judged.event} />
        </>
      )}
      <Steps view={view} />
    </article>
  );
}

/** A sentence of the method. */
function Method({ children }: { children: string }) {
  return <p class="small">{inFields(children, words.fields)}</p>;
}

const CONTENTS = [
  ["asked", "asked"],
  ["findings", "findings"],
  ["certificate", "certificate"],
  ["executed", "executed"],
  ["log", "log"],
  ["facts", "facts"],
  ["figures", "figures"],
  ["particulars", "particulars"],
  ["event", "event"],
  ["steps", "steps"],
] as const;

function Contents({ isExecuted }: { isExecuted: boolean }) {
  return (
    <nav class="contents" aria-label={words.contents}>
      {CONTENTS.filter(([id]) => isExecuted || id !== "executed").map(([id, name]) => (
        <a key={id} href={`#${id}`}>
          {words[name]}
        </a>
      ))}
    </nav>
  );
}

interface JudgedProps {
  readonly judged: JudgedView;
  readonly isValid: boolean;
  readonly executed: Element | null;
}

function Judged({ judged, isValid, executed }: JudgedProps) {
  return (
    <>
      <Contents isExecuted={executed !== null} />
      <section class="part asked" id="asked">
        <h2>{words.asked}</h2>
        <p class="soft">{words.asJudged}</p>
        <TradeRows judged={judged} />
      </section>
      <Section id="findings" title={words.findings} hint={isValid ? words.findingsHint : words.findingsIf}>
        <ul class="findings">
          {judged.findings.map((finding, index) => (
            <Finding key={`${index} ${finding.check}`} finding={finding} isVouched={isValid} />
          ))}
        </ul>
      </Section>
      <Certificate certificate={judged.certificate} />
      {executed === null ? null : <div class="kept" ref={(place) => void place?.replaceChildren(executed)} />}
      <Log log={judged.log} />
    </>
  );
}

function TradeRows({ judged }: { judged: JudgedView }) {
  const { trade } = judged;
  const settlement = trade.settlementSymbol;
  const [paid, got] = trade.side === "buy" ? [settlement, trade.symbol] : [trade.symbol, settlement];
  return (
    <Rows
      of={[
        [words.pays, amountOf(trade.amountIn, paid)],
        [words.getsAtLeast, trade.minAmountOut === null ? words.notKnown : amountOf(trade.minAmountOut, got)],
        [words.slippage, <Amount value={String(trade.maxSlippageBps)} unit="bps" />],
        [words.judgedAt, <Moment seconds={judged.capturedAt} />],
      ]}
    />
  );
}

const amountOf = (value: string, symbol: string) => (
  <>
    <Amount value={value} unit="count" /> {symbol}
  </>
);

function Names({ judged }: { judged: JudgedView }) {
  const { trade, block, policy, registry } = judged;
  return (
    <Rows
      of={[
        [words.block, named(`${block.number}, ${words.chain} ${block.chainId}`, block.hash)],
        [words.stock, named(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
        [words.settlement, <code>{trade.settlementAddress}</code>],
        [words.owner, <code>{trade.owner}</code>],
        trade.recipient !== trade.owner && [words.recipient, <code>{trade.recipient}</code>],
        [words.policy, named(`${policy.policyId} ${policy.version}`, policy.hash)],
        [words.registry, named(registry.version, registry.hash)],
        [words.job, followed(judged.jobId, `, ${words.version} ${judged.version}`)],
        [words.evidenceHash, <code>{judged.evidenceHash}</code>],
      ]}
    />
  );
}

const followed = (code: string, more: string) => (
  <>
    <code>{code}</code>
    {more}
  </>
);

const MARKS = { pass: "✓", fail: "✗", unavailable: "?" } as const;

/** @param isVouched the evidence is what a trusted service judged; else its findings hold only if it is true */
export function Finding({ finding, isVouched }: { finding: FindingView; isVouched: boolean }) {
  const { check, question, outcome, message } = finding;
  const sentence = findingSentence(finding);
  return (
    <li class={`finding ${outcome} ${isVouched ? "vouched" : ""}`}>
      <span class="tick">
        <span aria-hidden="true">{isVouched || outcome !== "pass" ? MARKS[outcome] : "·"}</span>
        <span class="hidden">{(isVouched ? REPORT_WORDS.findings : REPORT_WORDS.findingsIf)[outcome]}</span>
      </span>
      <div class="what">
        <p class="stated">{sentence.text}</p>
        <p class="soft small">
          {question} <code>{check}</code>
        </p>
        {outcome === "pass" ? null : <p class="small">{message}</p>}
      </div>
    </li>
  );
}

function Certificate({ certificate }: { certificate: CertificateView | null }) {
  if (certificate === null)
    return (
      <Section id="certificate" title={words.certificate}>
        <p>{words.noCertificate}</p>
      </Section>
    );
  const { issuedAt, expiresAt, signer, intentHash, holds } = certificate;
  return (
    <Section
      id="certificate"
      title={words.certificate}
      hint={holds ? words.certificateHolds : words.certificateFails}
    >
      <Rows
        of={[
          [words.from, <Moment seconds={issuedAt} />],
          [words.until, <Moment seconds={expiresAt} />],
          [words.signer, signer === null ? words.nobody : <code>{signer}</code>],
          [words.intentHash, <code>{intentHash}</code>],
        ]}
      />
    </Section>
  );
}

function Event({ event }: { event: EventView }) {
  return (
    <Folded id="event" title={words.event} hint={words.eventHint}>
      <Rows
        of={[
          [words.guard, followed(event.guard, `, ${words.chain} ${event.chainId}`)],
          [words.jobIdHash, <code>{event.jobIdHash}</code>],
          [words.evidenceHash, <code>{event.evidenceHash}</code>],
          event.intentHash !== null && [words.intentHash, <code>{event.intentHash}</code>],
          ...event.claimed.map(
            ({ transactionHash, state }) =>
              [words.claimed, followed(transactionHash, ` (${state})`)] as const,
          ),
        ]}
      />
    </Folded>
  );
}

function Log({ log }: { log: LogView | null }) {
  if (log === null)
    return (
      <Section id="log" title={words.log}>
        <p>{words.noLog}</p>
      </Section>
    );
  const { origin, index, size, signedBy, outcome, details } = log;
  return (
    <Section id="log" title={words.log}>
      <p>
        <span class={`outcome ${outcome.replace(" ", "-")}`}>{REPORT_WORDS.outcomes[outcome]}</span>{" "}
        {stepQuestion("log")}
      </p>
      {details.map((detail) => (
        <Method key={detail}>{detail}</Method>
      ))}
      {origin === null ? null : (
        <Rows
          of={[
            [words.log, origin],
            [
              filled(words.logEntry, { index: String(index), size: String(size) }),
              signedBy.length === 0 ? "–" : filled(words.logSigned, { names: listText(signedBy) }),
            ],
          ]}
        />
      )}
    </Section>
  );
}

function Steps({ view }: { view: ReportView }) {
  const asked = view.steps.filter(({ outcome }) => outcome !== "not asked");
  const hint = filled(words.stepsCount, {
    all: asked.length,
    ok: asked.filter(({ outcome }) => outcome === "ok").length,
  });
  const steps = (
    <ol class="stepwise">
      {view.steps.map(({ name, outcome, details }) => (
        <li key={name} data-step={name} data-outcome={outcome}>
          <span class={`outcome ${outcome.replace(" ", "-")}`}>{REPORT_WORDS.outcomes[outcome]}</span>
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
  );
  // Where nothing else is shown, the steps are what there is to read.
  const Place = view.judged === null ? Section : Folded;
  return (
    <Place id="steps" title={words.steps} hint={hint}>
      {steps}
    </Place>
  );
}
