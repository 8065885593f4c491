/** /status: what works at this moment. */
import type { PendingChange } from "../../attestor/evidence/facts.ts";
import type { UnixMs } from "../../attestor/values/time.ts";
import { nullIfAway } from "../../database/errors.ts";
import type { MarketStatus } from "../../market/status.ts";
import type { AttestationState } from "../attestation/keys.ts";
import type { Health } from "../status/health.ts";
import { type Heartbeat, isAway } from "../status/heartbeats.ts";
import { type Found, ROUND_SECONDS } from "../status/parts.ts";
import { ago, count, moment } from "./format.ts";
import { type Html, html, join } from "./html.ts";
import { filled, type Language } from "./language.ts";
import { marketDetails } from "./marketDetails.ts";
import { named } from "./names.ts";
import type { Page } from "./page.ts";
import STATUS_WORDS from "./words/status.json" with { type: "json" };

export interface StatusDeps {
  readonly parts: () => Promise<Found>;
  readonly health: () => Promise<Health>;
  readonly attestation: () => AttestationState;
  readonly marketStatus: () => Promise<MarketStatus>;
  readonly heartbeats: () => Promise<readonly Heartbeat[]>;
  readonly pendingChanges: () => Promise<readonly PendingChange[] | null>;
  readonly simulated: boolean;
  now(): UnixMs;
}

interface Row {
  readonly part: string;
  /** Null: not known. */
  readonly works: boolean | null;
}

export function statusPage(deps: StatusDeps): Page<unknown, unknown> {
  return {
    path: "/status",
    name: "status",
    key: () => "",
    async content({ reader: { language } }) {
      const words = STATUS_WORDS[language];
      const now = Math.floor(deps.now() / 1_000);
      const [health, parts, market, heartbeats, pending] = await Promise.all([
        deps.health(),
        deps.parts(),
        deps.marketStatus().catch(nullIfAway),
        deps.heartbeats().catch(nullIfAway),
        deps.pendingChanges(),
      ]);
      const rows = rowsOf(health, parts, market);
      const tasks = heartbeats ?? [];
      const bad = rows.filter((row) => row.works === false).length + tasks.filter(isAway).length;
      return {
        title: words.title,
        description: words.lead,
        source: "/readyz?verbose",
        degraded: market === null,
        main: join(
          [
            html`<section class="hero"><h1>${words.title}</h1>
<p class="verdict"><span class="dot ${bad === 0 ? "good" : "bad"}"></span> ${bad === 0 ? words.allGood : filled(words.someBad, { count: bad })}</p>
<p class="soft">${moment(now, language)}</p></section>`,
            partsTable(rows, market === null, language),
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

function rowsOf(health: Health, parts: Found, market: MarketStatus | null): Row[] {
  const round = market?.round ?? null;
  const row = (part: string, works: boolean | null): Row => ({ part, works });
  const known = (part: string) => parts.get(part) ?? null;
  return [
    row("database", health.checks.database === "up"),
    row("chain", health.checks.chain === "up"),
    row("log", health.log === null ? null : (health.log.refused ?? health.log.fault) === null),
    ...(parts.has("signedPrices") ? [row("signedPrices", known("signedPrices"))] : []),
    row("watcher", known("watcher")),
    row("collector", round === null ? known("collector") : round.endedAgo <= ROUND_SECONDS),
    ...[...parts].filter(([part]) => part.startsWith("provider/")).map(([part, works]) => row(part, works)),
  ];
}

function partsTable(rows: readonly Row[], isAway: boolean, language: Language): Html {
  const words = STATUS_WORDS[language];
  return html`<section aria-labelledby="parts"><h2 id="parts" class="hidden">${words.now}</h2>
<p class="soft measure">${isAway ? words.away : words.lead}</p>
<table class="parts">
<thead><tr><th scope="col">${words.part}</th><th scope="col">${words.state}</th></tr></thead>
<tbody>${join(rows.map((row) => partRow(row, language)))}</tbody>
</table></section>`;
}

function partRow({ part, works }: Row, language: Language): Html {
  const words = STATUS_WORDS[language];
  const name = partName(part, language);
  const state = works === null ? words.unknown : works ? words.works : words.fails;
  const tone = works === null ? "" : works ? "good" : "bad";
  return html`<tr>
<th scope="row">${name}<small>${aboutOf(part, language)}</small></th>
<td><span class="dot ${tone}"></span> ${state}</td>
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
