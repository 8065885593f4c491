/** A verification as a page shows it: the verdict, what was asked, findings, facts, what was signed and logged, the steps. */
import type { ComponentChildren } from "preact";
import { findingSentence, listText, valueText } from "../../attestor/view/findingWords.ts";
import { filled } from "../../attestor/view/language.ts";
import type {
  CertificateView,
  EventView,
  FactRow,
  FindingView,
  JudgedView,
  LogView,
  ReportView,
} from "../../attestor/view/reportView.ts";
import { stepQuestion } from "../../attestor/view/stepWords.ts";
import { agoText } from "../../attestor/view/times.ts";
import { askedSentence, askedWords, figureName, REPORT_WORDS } from "../../attestor/view/words.ts";
import { Folded, named, Rows, Section } from "../pieces.tsx";
import { inFields } from "./inFields.ts";
import { Amount, Moment, Short, VIEW_WORDS as words } from "./Parts.tsx";

/** What the verdict rests on that the service itself said; empty: nothing. */
export type Trusted = readonly ("guard" | "keys" | "logKeys" | "registry" | "policies" | "samples")[];

export interface ReportProps {
  readonly view: ReportView;
  /** null: the service was not asked. */
  readonly trusted: Trusted | null;
  /** It would not be VALID without the service's own word. */
  readonly restsOnService: boolean;
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
      <NotChecked view={view} />
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

function Verdict({ view, trusted, restsOnService }: Omit<ReportProps, "children" | "executed">) {
  const { verdict, conclusion } = view;
  return (
    <section class={`ruling ${verdict.toLowerCase()}`} data-verdict={verdict}>
      <p class="stamp">{verdict}</p>
      <p class="meaning">{restsOnService ? words.validByService : REPORT_WORDS.verdicts[verdict]}</p>
      <Method>{conclusion}</Method>
      <Summary view={view} />
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
    </section>
  );
}

/** What `assay verify` prints below the verdict. */
function Summary({ view: { summary } }: { view: ReportView }) {
  return (
    <table class="summary">
      <tbody>
        {summary.map(({ label, text }, index) => (
          <tr key={`${index} ${label}`}>
            <th scope="row">{label}</th>
            <td>{inFields(text, words.fields)}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
  ["not-checked", "notChecked"],
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
        <h2 class="soft small">{words.asked}</h2>
        <p class={`sentence ${isValid ? judged.decision.toLowerCase() : ""}`}>
          {(isValid ? askedSentence : askedWords)(judged)}
        </p>
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

function Facts({ judged }: { judged: JudgedView }) {
  const { facts } = judged;
  const n = (kind: FactRow["kind"]) => facts.filter((fact) => fact.kind === kind).length;
  const kinds = { proved: n("proved"), signed: n("signed"), observed: n("observed"), stated: n("stated") };
  const hint = filled(words.factsHint, { total: facts.length, ...kinds });
  const isConditional = !judged.isBlockKnown && facts.some(({ kind }) => kind === "proved");
  return (
    <Folded id="facts" title={words.facts} hint={hint}>
      {isConditional ? <p class="soft">{REPORT_WORDS.kinds.provedIf}</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label={words.facts}>
        <table class="facts">
          <thead>
            <tr>
              {[words.fact, words.value, words.kind, words.age, words.by, words.source].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {facts.map((fact, index) => (
              <Fact key={`${index} ${fact.name}`} fact={fact} isBlockKnown={judged.isBlockKnown} />
            ))}
          </tbody>
        </table>
      </section>
    </Folded>
  );
}

function Fact({ fact, isBlockKnown }: { fact: FactRow; isBlockKnown: boolean }) {
  const { name, value, unit, kind, ageSeconds, by, source } = fact;
  const explained = REPORT_WORDS.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
  return (
    <tr>
      <th scope="row">
        <Short>{name}</Short>
      </th>
      <td>
        {value === null ? (
          "–"
        ) : unit === null ? (
          <Short>{valueText(value, null)}</Short>
        ) : (
          <Amount value={value} unit={unit} />
        )}
      </td>
      <td>
        <span class={`kind ${kind}`} title={explained}>
          {words.kindNames[kind]}
        </span>
      </td>
      <td class="number">
        {ageSeconds === null
          ? "–"
          : ageSeconds < 0
            ? filled(words.ahead, { age: agoText(ageSeconds, "en") })
            : agoText(ageSeconds, "en")}
      </td>
      <td class="by">
        <Short>{by}</Short>
      </td>
      <td>{source ?? "–"}</td>
    </tr>
  );
}

function Figures({ judged }: { judged: JudgedView }) {
  return (
    <Folded id="figures" title={words.figures} hint={words.figuresHint}>
      <Rows
        of={judged.figures.map(({ name, value, unit, token }) => [
          figureName(name),
          value === null ? words.notKnown : <Amount value={value} unit={unit} token={token} />,
        ])}
      />
    </Folded>
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

/** What rests on somebody's word, and what nobody looked at. */
function NotChecked({ view }: { view: ReportView }) {
  return (
    <Section id="not-checked" title={words.notChecked}>
      <ul class="open">
        {view.reservations.map(({ code, text }, index) => (
          <li key={`${index} ${code}`}>
            <Method>{text}</Method>
          </li>
        ))}
        <li>{words.noChain}</li>
      </ul>
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
