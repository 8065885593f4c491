/** A report as tables, for who reads without script: as the service stored it, judged by nobody but the service. */
import { grouped } from "../../attestor/view/amounts.ts";
import { type FindingView, findingSentence, valueText } from "../../attestor/view/findingWords.ts";
import heads from "../../attestor/view/headings.json" with { type: "json" };
import type { FactRow, JudgedView } from "../../attestor/view/reportView.ts";
import { figureName, REPORT_WORDS, statedSentence } from "../../attestor/view/words.ts";
import { ago, moment } from "./format.ts";
import { type Html, html, join, rows, type Value } from "./html.ts";
import { filled } from "./language.ts";
import REPORT_PAGE_WORDS from "./words/report.json" with { type: "json" };

const CONTENTS = [
  "asked",
  "findings",
  "certificate",
  "executed",
  "facts",
  "figures",
  "particulars",
  "event",
] as const;

/** @param executed what came of it on the chain */
export function reportTables(judged: JudgedView, executed: Html): Html {
  const figures = judged.figures.map(({ name, value, unit, token }): [string, string] => [
    figureName(name),
    value === null ? heads.notKnown : valueText(value, unit, token),
  ]);
  return html`<nav class="contents" aria-label="${heads.contents}">${join(
    CONTENTS.map((id) => html`<a href="#${id}">${heads[id]}</a>\n`),
  )}</nav>
<section class="part asked" id="asked">
<h2 class="soft small">${heads.asked}</h2>
<p class="sentence">${statedSentence(judged.trade, judged.decision)}</p>
${rows(tradeRows(judged))}
</section>
<section class="part" id="findings"><h2>${heads.findings}</h2>${findings(judged.findings)}</section>
<section class="part" id="certificate"><h2>${heads.certificate}</h2>${certificate(judged)}</section>
${executed}
${folded("facts", facts(judged.facts))}
${folded("figures", rows(figures))}
${folded("particulars", rows(nameRows(judged)))}
${folded("event", event(judged))}`;
}

function folded(id: (typeof CONTENTS)[number], content: Html): Html {
  return html`<details class="part folded"><summary><h2>${heads[id]}</h2></summary><div id="${id}">${content}</div></details>`;
}

const code = (text: string): Html => html`<code>${text}</code>`;

function tradeRows({ trade, capturedAt }: JudgedView): [string, Value][] {
  const settlement = trade.settlementSymbol;
  const [paid, got] = trade.side === "buy" ? [settlement, trade.symbol] : [trade.symbol, settlement];
  const least = trade.minAmountOut;
  return [
    [heads.pays, `${grouped(trade.amountIn)} ${paid}`],
    [heads.getsAtLeast, least === null ? heads.notKnown : `${grouped(least)} ${got}`],
    [heads.slippage, valueText(String(trade.maxSlippageBps), "bps")],
    [heads.judgedAt, moment(capturedAt, "en")],
  ];
}

function nameRows(judged: JudgedView): (readonly [string, Value])[] {
  const { trade, block, policy, registry } = judged;
  return [
    [heads.block, html`${block.number}, ${heads.chain} ${block.chainId} ${code(block.hash)}`],
    [heads.stock, html`${trade.symbol} (${trade.underlying}) ${code(trade.stockAddress)}`],
    [heads.settlement, code(trade.settlementAddress)],
    [heads.owner, code(trade.owner)],
    ...(trade.recipient === trade.owner ? [] : [[heads.recipient, code(trade.recipient)] as const]),
    [heads.policy, html`${policy.policyId} ${policy.version} ${code(policy.hash)}`],
    [heads.registry, html`${registry.version} ${code(registry.hash)}`],
    [heads.job, html`${code(judged.jobId)}, ${heads.version} ${judged.version}`],
    [heads.evidenceHash, code(judged.evidenceHash)],
  ];
}

function findings(found: readonly FindingView[]): Html {
  return html`<p class="soft">${REPORT_PAGE_WORDS.stated}</p><ul class="findings">${join(
    found.map((finding) => {
      const { check, question, outcome } = finding;
      return html`<li class="finding ${outcome}"><span class="tick">·</span><div class="what"><p class="stated">${
        findingSentence(finding).text
      }</p><p class="soft small">${question} <code>${check}</code></p>${
        outcome === "pass" ? "" : html`<p class="small">${REPORT_WORDS.findings[outcome]}.</p>`
      }</div></li>\n`;
    }),
  )}</ul>`;
}

function facts(told: readonly FactRow[]): Html {
  return html`<div class="scroll"><table class="facts">
<thead><tr>${join(
    [heads.fact, heads.value, heads.kind, heads.age, heads.by, heads.source].map(
      (name) => html`<th scope="col">${name}</th>`,
    ),
  )}</tr></thead>
<tbody>${join(
    told.map(
      ({ name, value, unit, kind, ageSeconds, by, source }) =>
        html`<tr><th scope="row">${name}</th><td>${value === null ? "–" : valueText(value, unit)}</td><td>${
          heads.kindNames[kind]
        }</td><td class="number">${
          ageSeconds !== null && ageSeconds < 0
            ? filled(heads.ahead, { age: ago(-ageSeconds, "en") })
            : ago(ageSeconds, "en")
        }</td><td>${by}</td><td>${source ?? "–"}</td></tr>\n`,
    ),
  )}</tbody></table></div>`;
}

function certificate({ certificate: own }: JudgedView): Html {
  if (own === null) return html`<p>${heads.noCertificate}</p>`;
  return rows([
    [heads.from, moment(own.issuedAt, "en")],
    [heads.until, moment(own.expiresAt, "en")],
    [heads.intentHash, code(own.intentHash)],
  ]);
}

function event({ event: { guard, chainId, jobIdHash, evidenceHash } }: JudgedView): Html {
  return html`<p class="soft">${heads.eventHint}</p>${rows([
    [heads.guard, html`${code(guard)}, ${heads.chain} ${chainId}`],
    [heads.jobIdHash, code(jobIdHash)],
    [heads.evidenceHash, code(evidenceHash)],
  ])}`;
}
