/** /status: what works, since when, and how it was over ninety days. */
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { nullIfAway } from "../../database/databaseErrors.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { AttestationState } from "../attestation/keys.ts";
import type { Health } from "../status/health.ts";
import { type Heartbeat, isAway } from "../status/heartbeats.ts";
import type { PartHistory } from "../status/history.ts";
import { ROUND_SECONDS } from "../status/parts.ts";
import { ago, count, moment } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, type Language } from "./language.ts";
import { marketDetails } from "./marketDetails.ts";
import { named } from "./names.ts";
import type { Page } from "./page.ts";
import STATUS_WORDS from "./words/status.json" with { type: "json" };

export interface StatusDeps {
  /** @throws DatabaseUnavailable */
  readonly parts: () => Promise<PartHistory[]>;
  readonly health: () => Promise<Health>;
  readonly attestation: () => AttestationState;
  readonly marketStatus: () => Promise<MarketStatus>;
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  readonly pendingChanges: () => Promise<readonly PendingChange[] | null>;
  readonly simulated: boolean;
  now(): UnixMs;
}

/** A part as it is now, with what is stored of it. */
interface Row {
  readonly part: string;
  /** Null: not known. */
  readonly works: boolean | null;
  readonly stored: PartHistory | undefined;
}

export function statusPage(deps: StatusDeps): Page<unknown, unknown> {
  return {
    path: "/status",
    name: "status",
    key: () => "",
    async content({ reader: { language } }) {
      const words = STATUS_WORDS[language];
      const now = Math.floor(deps.now() / 1_000);
      const [health, history, market, heartbeats, pending] = await Promise.all([
        deps.health(),
        deps.parts().catch(nullIfAway),
        deps.marketStatus().catch(nullIfAway),
        deps.heartbeats().catch(nullIfAway),
        deps.pendingChanges(),
      ]);
      const rows = rowsOf(health, history ?? [], market);
      const tasks = heartbeats ?? [];
      const bad = rows.filter((row) => row.works === false).length + tasks.filter(isAway).length;
      return {
        title: words.title,
        description: words.lead,
        source: "/readyz?verbose",
        degraded: history === null || market === null,
        main: join(
          [
            html`<section class="hero"><h1>${words.title}</h1>
<p class="verdict"><span class="dot ${bad === 0 ? "good" : "bad"}"></span> ${bad === 0 ? words.allGood : filled(words.someBad, { count: bad })}</p>
<p class="soft">${moment(now, language)}</p></section>`,
            partsTable(rows, history, now, language),
            logSection(health, deps.attestation(), language),
            pendingSection(pending ?? [], language),
            tasksSection(tasks, language),
            market === null ? null : marketDetails(market, deps.simulated, language),
          ].flatMap((part) => part ?? []),
        ),
      };
    },
  };
}

/** Nothing where nothing waits. */
function pendingSection(pending: readonly PendingChange[], language: Language): Html | null {
  if (pending.length === 0) return null;
  const words = STATUS_WORDS[language];
  const rows = pending.map(
    ({ operation, call, readyAt }) =>
      html`<tr><th scope="row">${call}<small>${operation}</small></th><td>${moment(readyAt, language)}</td></tr>`,
  );
  return html`<section><h2>${words.pendingTitle}</h2>
<p class="soft measure">${words.pendingLead}</p>
<table><thead><tr><th scope="col">${words.change}</th><th scope="col">${words.ready}</th></tr></thead>
<tbody>${join(rows)}</tbody></table></section>`;
}

/** What is known at this moment counts; of providers, what the last check found. */
function rowsOf(health: Health, history: readonly PartHistory[], market: MarketStatus | null): Row[] {
  const stored = new Map(history.map((part) => [part.part, part]));
  const round = market?.round ?? null;
  const row = (part: string, works: boolean | null): Row => ({ part, works, stored: stored.get(part) });
  const known = (part: string) => stored.get(part)?.works ?? null;
  return [
    row("database", health.checks.database === "up"),
    row("chain", health.checks.chain === "up"),
    row("log", health.log === null ? null : (health.log.refused ?? health.log.fault) === null),
    ...(stored.has("signedPrices") ? [row("signedPrices", known("signedPrices"))] : []),
    row("watcher", known("watcher")),
    row("collector", round === null ? known("collector") : round.endedAgo <= ROUND_SECONDS),
    ...history.filter(({ part }) => part.startsWith("provider/")).map(({ part, works }) => row(part, works)),
  ];
}

function partsTable(
  rows: readonly Row[],
  history: readonly PartHistory[] | null,
  now: number,
  language: Language,
): Html {
  const words = STATUS_WORDS[language];
  return html`<section aria-labelledby="parts"><h2 id="parts" class="hidden">${words.now}</h2>
<p class="soft measure">${history === null ? words.away : words.lead}${history?.length === 0 ? ` ${words.noHistory}` : ""}</p>
<table class="parts">
<thead><tr><th scope="col">${words.part}</th><th scope="col">${words.state}</th><th scope="col">${words.history}</th><th scope="col" class="number">${words.share}</th></tr></thead>
<tbody>${join(rows.map((row) => partRow(row, now, language)))}</tbody>
</table></section>`;
}

function partRow({ part, works, stored }: Row, now: number, language: Language): Html {
  const words = STATUS_WORDS[language];
  const name = partName(part, language);
  const state = works === null ? words.unknown : works ? words.works : words.fails;
  const failed = stored ? sumOf(stored.days).bad : 0;
  const tone = works === null ? "" : works ? "good" : "bad";
  return html`<tr>
<th scope="row">${name}<small>${aboutOf(part, language)}</small></th>
<td><span class="dot ${tone}"></span> ${state}${stored && works === stored.works ? html`<small>${words.since} ${moment(stored.since, language)}</small>` : ""}</td>
<td class="days">${stored ? historyBars(stored, name, now, language) : html`<span class="soft">–</span>`}</td>
<td class="number">${stored ? shareOf(stored.days) : "–"}${failed > 0 ? html`<small>${filled(words.failed, { checks: count(failed, language) })}</small>` : ""}</td>
</tr>
`;
}

function partName(part: string, language: Language): string {
  const { database, chain, log, signedPrices, collector, watcher } = STATUS_WORDS[language];
  if (part.startsWith("provider/")) return part.slice("provider/".length);
  return named({ database, chain, log, signedPrices, collector, watcher }, part);
}

const aboutOf = (part: string, language: Language): string =>
  named(STATUS_WORDS[language].about, part.split("/")[0] ?? "", "");

/** What goes on in the background, and when it was heard of last. */
function tasksSection(heartbeats: readonly Heartbeat[], language: Language): Html {
  const words = STATUS_WORDS[language];
  if (heartbeats.length === 0) return html``;
  const rows = heartbeats.map((heartbeat) => {
    const { task, heartbeatAgo } = heartbeat;
    const heard =
      heartbeatAgo === null ? words.never : filled(words.ago, { ago: ago(heartbeatAgo, language) });
    const tone = isAway(heartbeat) ? "bad" : "good";
    return html`<div><dt>${task}</dt><dd><span class="dot ${tone}"></span> ${heard}</dd></div>`;
  });
  return html`<section aria-labelledby="tasks"><h2 id="tasks">${words.tasksTitle}</h2><p class="soft measure">${words.tasksLead}</p><dl class="facts">${join(rows)}</dl></section>`;
}

function logSection({ log }: Health, attestation: AttestationState, language: Language): Html {
  const words = STATUS_WORDS[language];
  const why = log?.refused ?? log?.fault;
  const items: [string, Html | string][] = [
    ...(log === null
      ? []
      : ([
          [words.entries, count(log.entries, language)],
          [words.signed, count(log.signedEntries, language)],
          [
            words.checkpoint,
            log.signedAgo === null ? words.none : filled(words.ago, { ago: ago(log.signedAgo, language) }),
          ],
          [words.waiting, count(log.waiting, language)],
        ] satisfies [string, string][])),
    [words.signer, html`<code>${attestation.signer}</code>`],
    ...(attestation.waiting === null
      ? []
      : ([[words.next, html`<code>${attestation.waiting}</code>`]] satisfies [string, Html][])),
  ];
  return html`<section aria-labelledby="log"><h2 id="log">${words.logTitle}</h2><dl class="facts">${join(
    items.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`),
  )}</dl>${why ? html`<p class="down">${why}</p>` : ""}</section>`;
}

const WIDTH = 4;
const HEIGHT = 28;
const DAY_SECONDS = 86_400;

/** Full height: all checks of the day found it working; what is missing is what did not. @param now unix seconds */
function historyBars({ days }: PartHistory, name: string, now: number, language: Language): Html {
  const words = STATUS_WORDS[language];
  const checked = days.filter((day) => day !== null).length;
  const label = filled(words.bar, { part: name, days: checked, share: shareOf(days) });
  let good = "";
  const bad: Html[] = [];
  for (const [index, day] of days.entries()) {
    if (day === null) continue;
    const all = day.good + day.bad;
    const missing = day.bad === 0 ? 0 : Math.max(2, Math.round((day.bad / all) * HEIGHT));
    good += column(index, missing, HEIGHT - missing);
    if (missing === 0) continue;
    const date = new Date((now - (days.length - 1 - index) * DAY_SECONDS) * 1_000).toISOString().slice(0, 10);
    bad.push(
      html`<path class="bad" d="${column(index, 0, missing)}"><title>${filled(words.day, { day: date, good: day.good, all })}</title></path>`,
    );
  }
  return html`<svg class="bars" viewBox="0 0 ${days.length * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path class="base" d="M0 ${HEIGHT - 0.5}H${days.length * WIDTH}"/><path d="${good}"/>${bad}</svg>`;
}

/** All full days are one path: a bar of its own for each would make the page many times as long. */
const column = (index: number, top: number, height: number): string =>
  `M${index * WIDTH} ${top}h${WIDTH - 1}v${height}h-${WIDTH - 1}z`;

/** `99.98%` of all checks in ninety days, never rounded up to 100; `–` without any. */
function shareOf(days: PartHistory["days"]): string {
  const { good, bad } = sumOf(days);
  if (good + bad === 0) return "–";
  return bad === 0 ? "100%" : `${(Math.floor((good / (good + bad)) * 10_000) / 100).toFixed(2)}%`;
}

function sumOf(days: PartHistory["days"]): { good: number; bad: number } {
  let [good, bad] = [0, 0];
  for (const day of days) {
    good += day?.good ?? 0;
    bad += day?.bad ?? 0;
  }
  return { good, bad };
}
