/** A verification as a page shows it: the verdict, what was asked, findings, facts, what was signed and logged, the steps. */
import type { ComponentChildren } from "preact";
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
import { askedSentence, askedWords, figureName, stepExplained } from "../../attestor/view/words.ts";
import { Rows, Section } from "../pieces.tsx";
import { inFields } from "./inFields.ts";
import { Amount, ageText, BarOf, Moment, Short, useWords } from "./Parts.tsx";

/** What the verdict rests on that the service itself said; empty: nothing. */
export type Trusted = readonly ("guard" | "keys" | "logKeys" | "registry" | "policies" | "samples")[];

export interface ReportProps {
  readonly view: ReportView;
  /** null: the service was not asked. */
  readonly trusted: Trusted | null;
  /** It would not be VALID without the service's own word. */
  readonly restsOnService: boolean;
  /** What stands below the verdict. */
  readonly children?: ComponentChildren;
}

export function Report({ view, trusted, restsOnService, children }: ReportProps) {
  const { view: words } = useWords();
  const { verdict } = view;
  return (
    <article class="report">
      <Verdict view={view} trusted={trusted} restsOnService={restsOnService} />
      {children}
      {view.judged === null ? (
        <p class="part">{words.notShown}</p>
      ) : (
        <Judged judged={view.judged} isValid={verdict === "VALID"} />
      )}
      <NotChecked view={view} />
      <Steps view={view} />
    </article>
  );
}

function Verdict({ view, trusted, restsOnService }: Omit<ReportProps, "children">) {
  const { report, view: words } = useWords();
  const { verdict, conclusion } = view;
  // The method's sentence begins with the verdict, which stands above it.
  const sentence = conclusion.startsWith(`${verdict}: `) ? conclusion.slice(verdict.length + 2) : conclusion;
  return (
    <section class={`ruling ${verdict.toLowerCase()}`} data-verdict={verdict}>
      <p class="stamp">{verdict}</p>
      <p class="meaning">{restsOnService ? words.validByService : report.verdicts[verdict]}</p>
      <p lang="en">{inFields(sentence, words.fields)}</p>
      {trusted === null ? (
        <p class="trusting soft">{words.offlineNote}</p>
      ) : trusted.length === 0 ? null : (
        <p class="trusting">
          <strong>
            {words.trusting}: {trusted.map((each) => words.trusts[each]).join(", ")}.
          </strong>{" "}
          <span class="soft">{words.trustingHint}</span>
        </p>
      )}
    </section>
  );
}

function Judged({ judged, isValid }: { judged: JudgedView; isValid: boolean }) {
  const { report, view: words } = useWords();
  return (
    <>
      <section class="part asked">
        <h2 class="soft small">{words.asked}</h2>
        <p class={`sentence ${isValid ? judged.decision.toLowerCase() : ""}`}>
          {(isValid ? askedSentence : askedWords)(report, judged)}
        </p>
        <p class="soft">{words.asJudged}</p>
        <TradeRows judged={judged} />
      </section>
      <Section title={words.findings} hint={words.findingsHint}>
        <ul class="findings">
          {judged.findings.map((finding, index) => (
            <Finding key={`${index} ${finding.check}`} finding={finding} />
          ))}
        </ul>
      </Section>
      <Facts judged={judged} />
      <Figures judged={judged} />
      <Section title={words.particulars}>
        <Particulars judged={judged} />
      </Section>
      <Certificate certificate={judged.certificate} />
      <Event event={judged.event} />
      <Log log={judged.log} />
    </>
  );
}

function TradeRows({ judged }: { judged: JudgedView }) {
  const { view: words } = useWords();
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

/** Every name and hash that the trade has. */
function Particulars({ judged }: { judged: JudgedView }) {
  const { view: words } = useWords();
  const { trade, block, policy, registry } = judged;
  return (
    <Rows
      of={[
        [words.block, named(`${block.number}, ${words.chain} ${block.chainId}`, block.hash)],
        [words.stock, named(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
        [words.settlement, <code>{trade.settlementAddress}</code>],
        [words.owner, <code>{trade.owner}</code>],
        trade.recipient !== trade.owner && [words.recipient, <code>{trade.recipient}</code>],
        trade.mandate !== null && [words.agent, <code>{trade.mandate.agent}</code>],
        trade.mandate !== null && [words.module, <code>{trade.mandate.module}</code>],
        [words.policy, named(`${policy.policyId} ${policy.version}`, policy.hash)],
        [words.registry, named(registry.version, registry.hash)],
        [words.job, followed(judged.jobId, `, ${words.version} ${judged.version}`)],
        [words.evidenceHash, <code>{judged.evidenceHash}</code>],
      ]}
    />
  );
}

/** What something is called, and its hash or address. */
const named = (name: string, code: string) => (
  <>
    {name} <code>{code}</code>
  </>
);

const followed = (code: string, more: string) => (
  <>
    <code>{code}</code>
    {more}
  </>
);

const MARKS = { pass: "✓", fail: "✗", unavailable: "?" } as const;

export function Finding({ finding }: { finding: FindingView }) {
  const { language, report, view: words } = useWords();
  const { check, question, outcome, observed, limit, message, remedy, unit, bar } = finding;
  const limitName = words.limit[bar?.bound ?? "none"];
  return (
    <li class={`finding ${outcome}`}>
      <span class="tick">
        <span aria-hidden="true">{MARKS[outcome]}</span>
        <span class="hidden">{report.findings[outcome]}</span>
      </span>
      <div class="what">
        <p>
          <code>{check}</code> <span class="soft">{question[language]}</span>
        </p>
        {bar === null ? null : <BarOf bar={bar} label={message} isBad={outcome !== "pass"} />}
        <p class="soft small" lang="en">
          {message}
        </p>
        {remedy !== null && (
          <p class="small" lang="en">
            {remedy}
          </p>
        )}
      </div>
      <p class="values">
        <span>
          {observed === null ? words.notKnown : <Amount value={observed} unit={unit} />}
          <span class="hidden"> {words.observed}</span>
        </span>
        {limit === null ? null : (
          <span class="soft">
            {limitName} <Amount value={limit} unit={unit} />
          </span>
        )}
      </p>
    </li>
  );
}

function Facts({ judged }: { judged: JudgedView }) {
  const { report, view: words } = useWords();
  const { facts } = judged;
  const n = (kind: FactRow["kind"]) => facts.filter((fact) => fact.kind === kind).length;
  const kinds = { proved: n("proved"), signed: n("signed"), observed: n("observed"), stated: n("stated") };
  const hint = filled(words.factsHint, { total: facts.length, ...kinds });
  const isConditional = !judged.isBlockKnown && facts.some(({ kind }) => kind === "proved");
  return (
    <Section title={words.facts} hint={hint}>
      {isConditional ? <p class="soft">{report.kinds.provedIf}</p> : null}
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
    </Section>
  );
}

function Fact({ fact, isBlockKnown }: { fact: FactRow; isBlockKnown: boolean }) {
  const { report, view: words } = useWords();
  const { name, value, unit, kind, ageSeconds, by, source } = fact;
  const explained = report.kinds[kind === "proved" && !isBlockKnown ? "provedIf" : kind];
  return (
    <tr>
      <th scope="row">
        <Short>{name}</Short>
      </th>
      <td>
        {value === null ? "–" : unit === null ? <Short>{value}</Short> : <Amount value={value} unit={unit} />}
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
            ? filled(words.ahead, { age: ageText(ageSeconds) })
            : ageText(ageSeconds)}
      </td>
      <td class="by">
        <Short>{by}</Short>
      </td>
      <td>{source ?? "–"}</td>
    </tr>
  );
}

function Figures({ judged }: { judged: JudgedView }) {
  const { report, view: words } = useWords();
  return (
    <Section title={words.figures} hint={words.figuresHint}>
      <Rows
        of={judged.figures.map(({ name, value, unit }) => [
          figureName(report, name),
          value === null ? words.notKnown : <Amount value={value} unit={unit} />,
        ])}
      />
    </Section>
  );
}

function Certificate({ certificate }: { certificate: CertificateView | null }) {
  const { view: words } = useWords();
  if (certificate === null) return <Section title={words.certificate}>{words.noCertificate}</Section>;
  const { issuedAt, expiresAt, signer, intentHash, holds } = certificate;
  return (
    <Section title={words.certificate} hint={holds ? words.certificateHolds : words.certificateFails}>
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
  const { view: words } = useWords();
  return (
    <Section title={words.event} hint={words.eventHint}>
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
    </Section>
  );
}

function Log({ log }: { log: LogView | null }) {
  const { report, view: words } = useWords();
  if (log === null) return <Section title={words.log}>{words.noLog}</Section>;
  const { origin, index, size, signedBy, outcome, detail } = log;
  return (
    <Section title={words.log}>
      <p>
        <span class={`outcome ${outcome}`}>{report.outcomes[outcome]}</span>{" "}
        <span lang="en">{inFields(detail, words.fields)}</span>
      </p>
      {origin === null ? null : (
        <Rows
          of={[
            [words.log, origin],
            [
              filled(words.logEntry, { index: String(index), size: String(size) }),
              signedBy.length === 0 ? "–" : `${words.logSigned}: ${signedBy.join(", ")}`,
            ],
          ]}
        />
      )}
    </Section>
  );
}

/** What nobody looked at, or could: by the steps that say so. */
function NotChecked({ view }: { view: ReportView }) {
  const { view: words } = useWords();
  const open = view.steps.filter(({ outcome }) => outcome === "absent" || outcome === "unknown");
  return (
    <Section title={words.notChecked}>
      <ul class="open">
        {open.map(({ name, detail }, index) => (
          <li key={`${index} ${name}`}>
            <code>{name}</code> <span lang="en">{inFields(detail, words.fields)}</span>
          </li>
        ))}
        <li>{words.noChain}</li>
      </ul>
    </Section>
  );
}

function Steps({ view }: { view: ReportView }) {
  const { report, view: words } = useWords();
  return (
    <Section title={words.steps} hint={words.stepsHint}>
      <ol class="stepwise">
        {view.steps.map(({ name, outcome, detail }, index) => (
          <li key={`${index} ${name}`} data-step={name} data-outcome={outcome}>
            <span class={`outcome ${outcome}`}>{report.outcomes[outcome]}</span>
            <div>
              <p>
                <code>{name}</code> <span class="soft">{stepExplained(report, name)}</span>
              </p>
              <p class="small" lang="en">
                {inFields(detail, words.fields)}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
