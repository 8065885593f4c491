/** A report as tables, for who reads without script: as the service stored it, judged by nobody but the service. */
import type { Unit } from "../../attestor/checks/measure.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import HEADINGS from "../../attestor/view/headings.json" with { type: "json" };
import type { FactRow, FindingView, JudgedView } from "../../attestor/view/reportView.ts";
import { figureName, REPORT_WORDS, type ReportWords, statedSentence } from "../../attestor/view/words.ts";
import { moment } from "./format.ts";
import { type Html, html, join, type Value } from "./html.ts";
import type { Language } from "./language.ts";

interface Words {
  readonly language: Language;
  readonly report: ReportWords;
  readonly heads: (typeof HEADINGS)["en"];
}

export function reportTables(judged: JudgedView, language: Language): Html {
  const words: Words = { language, report: REPORT_WORDS[language], heads: HEADINGS[language] };
  const { heads, report } = words;
  return html`<section class="part asked">
<h2 class="soft small">${heads.asked}</h2>
<p class="sentence">${statedSentence(report, judged)}</p>
${tradeRows(judged, words)}
</section>
${part(heads.findings, findings(judged.findings, words))}
${part(heads.facts, facts(judged.facts, words))}
${part(
  heads.figures,
  rows(
    judged.figures.map(({ name, value, unit }) => [
      figureName(report, name),
      value === null ? heads.notKnown : amount(value, unit, words),
    ]),
  ),
)}
${part(heads.certificate, certificate(judged, words))}
${part(heads.event, event(judged, words))}`;
}

const part = (title: string, content: Html): Html =>
  html`<section class="part"><h2>${title}</h2>${content}</section>`;

const code = (text: string): Html => html`<code>${text}</code>`;

function rows(pairs: readonly (readonly [string, Value])[]): Html {
  return html`<dl class="rows">${join(
    pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`),
  )}</dl>`;
}

function amount(value: string, unit: Unit | null, { report }: Words): string {
  const name = unit === null || !/^-?[0-9.]+$/.test(value) ? "" : report.units[unit];
  return `${unit === "text" || unit === null ? value : grouped(value)}${name === "" ? "" : ` ${name}`}`;
}

function tradeRows(judged: JudgedView, words: Words): Html {
  const { trade, block, policy, registry } = judged;
  const { heads, language } = words;
  const settlement = trade.settlementSymbol;
  const [paid, got] = trade.side === "buy" ? [settlement, trade.symbol] : [trade.symbol, settlement];
  const least = trade.minAmountOut;
  return rows([
    [heads.pays, `${grouped(trade.amountIn)} ${paid}`],
    [heads.getsAtLeast, least === null ? heads.notKnown : `${grouped(least)} ${got}`],
    [heads.slippage, amount(String(trade.maxSlippageBps), "bps", words)],
    [heads.judgedAt, moment(judged.capturedAt, language)],
    [heads.block, html`${block.number}, ${heads.chain} ${block.chainId} ${code(block.hash)}`],
    [heads.stock, html`${trade.symbol} (${trade.underlying}) ${code(trade.stockAddress)}`],
    [heads.settlement, code(trade.settlementAddress)],
    [heads.owner, code(trade.owner)],
    ...(trade.recipient === trade.owner ? [] : [[heads.recipient, code(trade.recipient)] as const]),
    ...(trade.mandate === null
      ? []
      : ([
          [heads.agent, code(trade.mandate.agent)],
          [heads.module, code(trade.mandate.module)],
        ] as const)),
    [heads.policy, html`${policy.policyId} ${policy.version} ${code(policy.hash)}`],
    [heads.registry, html`${registry.version} ${code(registry.hash)}`],
    [heads.job, html`${code(judged.jobId)}, ${heads.version} ${judged.version}`],
    [heads.evidenceHash, code(judged.evidenceHash)],
  ]);
}

function findings(found: readonly FindingView[], words: Words): Html {
  const { heads, report, language } = words;
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">${heads.findings}</th><th scope="col">${heads.observed}</th><th scope="col">${heads.limit.none}</th><th scope="col"></th></tr></thead>
<tbody>${join(
    found.map(
      ({ check, question, outcome, observed, limit, message, remedy, unit, bar }) =>
        html`<tr><th scope="row"><code>${check}</code> ${question[language]}</th><td>${
          observed === null ? heads.notKnown : amount(observed, unit, words)
        }</td><td>${
          limit === null
            ? ""
            : `${bar === null ? "" : `${heads.limit[bar.bound]} `}${amount(limit, unit, words)}`
        }</td><td>${report.findings[outcome]}${
          remedy === null ? "" : html`<br><small lang="en">${message} ${remedy}</small>`
        }</td></tr>\n`,
    ),
  )}</tbody></table></div>`;
}

function facts(told: readonly FactRow[], words: Words): Html {
  const { heads } = words;
  return html`<div class="scroll"><table class="facts">
<thead><tr>${join(
    [heads.fact, heads.value, heads.kind, heads.age, heads.by, heads.source].map(
      (name) => html`<th scope="col">${name}</th>`,
    ),
  )}</tr></thead>
<tbody>${join(
    told.map(
      ({ name, value, unit, kind, ageSeconds, by, source }) =>
        html`<tr><th scope="row">${name}</th><td>${value === null ? "–" : amount(value, unit, words)}</td><td>${
          heads.kindNames[kind]
        }</td><td class="number">${ageSeconds === null ? "–" : amount(String(ageSeconds), "s", words)}</td><td>${by}</td><td>${source ?? "–"}</td></tr>\n`,
    ),
  )}</tbody></table></div>`;
}

function certificate({ certificate: own }: JudgedView, { heads, language }: Words): Html {
  if (own === null) return html`<p>${heads.noCertificate}</p>`;
  return rows([
    [heads.from, moment(own.issuedAt, language)],
    [heads.until, moment(own.expiresAt, language)],
    [heads.intentHash, code(own.intentHash)],
  ]);
}

function event({ event: { guard, chainId, jobIdHash, evidenceHash } }: JudgedView, { heads }: Words): Html {
  return html`<p class="soft">${heads.eventHint}</p>${rows([
    [heads.guard, html`${code(guard)}, ${heads.chain} ${chainId}`],
    [heads.jobIdHash, code(jobIdHash)],
    [heads.evidenceHash, code(evidenceHash)],
  ])}`;
}
