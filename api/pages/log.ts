/** /log: the decision log for people. Programs read the files below it (`api/routes/log.ts`). */
import { parseCheckpoint } from "../../attestor/log/checkpoint.ts";
import { readEntry } from "../../attestor/log/entry.ts";
import { parseNote } from "../../attestor/log/note.ts";
import { toBase64 } from "../../attestor/values/bytes.ts";
import { listText } from "../../attestor/view/findingWords.ts";
import type { Database } from "../../database/open.ts";
import { readEntries } from "../log/entries.ts";
import { newestShard, type Shard } from "../log/shards.ts";
import { publicTradesAmong } from "../published/publicTrades.ts";
import type { Config } from "../settings/config.ts";
import { count, moment } from "./format.ts";
import { type Html, html, join, rows } from "./html.ts";
import { filled, type Language, pathFor, type Reader } from "./language.ts";
import type { Page } from "./page.ts";
import type { ServiceWordDeps } from "./serviceWord.ts";
import LOG_WORDS from "./words/log.json" with { type: "json" };

export interface LogPageDeps extends Pick<ServiceWordDeps, "logAnswers"> {
  readonly db: Database;
  readonly publicEvidence: Config["publicEvidence"];
}

interface LogQuery {
  /** Entries before this one; null: the newest. */
  readonly before: number | null;
}

const SHOWN = 50;

export function logPage(deps: LogPageDeps): Page<unknown, LogQuery> {
  return {
    path: "/log",
    name: "log",
    browsersAlone: true,
    query: ({ before }) => ({
      before: typeof before === "string" && /^[1-9][0-9]{0,14}$/.test(before) ? Number(before) : null,
    }),
    key: ({ query }) => String(query.before ?? ""),
    async content({ query: { before }, reader }) {
      const words = LOG_WORDS[reader.language];
      const [shard, vkey] = await Promise.all([newestShard(deps.db), deps.logAnswers.vkey(undefined)]);
      return {
        title: words.title,
        description: words.lead,
        islands: ["log"],
        main: html`<h1>${words.title}</h1><p class="lead soft">${words.lead} <a href="${pathFor(reader, "/docs/log")}">${words.guide}</a></p>
${
  shard === undefined || shard.checkpoint === null || vkey === null || shard.signed_size === 0
    ? html`<p>${words.empty}</p>`
    : await signedLog({ ...shard, checkpoint: shard.checkpoint }, vkey.trim(), { deps, before, reader })
}`,
      };
    },
  };
}

type SignedShard = Shard & { readonly checkpoint: string };

interface Asked {
  readonly deps: LogPageDeps;
  readonly before: number | null;
  readonly reader: Reader;
}

async function signedLog(shard: SignedShard, vkey: string, { deps, before, reader }: Asked): Promise<Html> {
  const words = LOG_WORDS[reader.language];
  const size = shard.signed_size;
  const to = Math.min(before ?? size, size);
  const from = Math.max(0, to - SHOWN);
  const texts = await readEntries(deps.db, shard.id, from, to - from);
  const props = JSON.stringify({ note: shard.checkpoint, vkey });
  const command = `npm run assay -- log check <url>/log --log-key ${vkey}`;
  return html`<section class="part"><h2>${words.checkTitle}</h2>
<div data-island="log" data-props="${props}"><noscript><p>${words.checkScript}</p><p><code>${command}</code></p></noscript></div></section>
<section class="part after"><h2>${words.entries}</h2>
<p class="soft">${filled(words.range, { from: from + 1, to, size: count(size, reader.language) })}. ${words.decisionHint}</p>
${await entryTable(texts, from, { deps, reader })}
<p class="pages">${before === null ? "" : html`<a href="${pathFor(reader, "/log")}">${words.newest}</a> `}${
    from === 0 ? "" : html`<a href="${pathFor(reader, `/log?before=${from}`)}" rel="next">${words.older}</a>`
  }</p></section>
${checkpointPart(shard, vkey, reader.language)}`;
}

async function entryTable(
  texts: readonly string[],
  from: number,
  { deps, reader }: Pick<Asked, "deps" | "reader">,
): Promise<Html> {
  const words = LOG_WORDS[reader.language];
  const entries = texts.map((text, index) => ({ index: from + index, ...readEntry(text) })).reverse();
  const hashes = entries.flatMap(({ judgement }) => judgement?.evidenceHash ?? []);
  const trades = deps.publicEvidence === "off" ? [] : await publicTradesAmong(deps.db, hashes);
  const symbols = new Map(
    trades.map(({ report: { evidenceHash, evidence } }) => [evidenceHash, evidence.trade.symbol]),
  );
  const row = ({ index, kind, judgement }: (typeof entries)[number]) => {
    const number = html`<th scope="row" class="number">${index + 1}</th>`;
    if (judgement === null)
      return html`<tr>${number}<td colspan="4">${filled(words.otherKind, { kind })}</td></tr>\n`;
    const { evidenceHash, decision, capturedAt } = judgement;
    const symbol = symbols.get(evidenceHash);
    const report = pathFor(reader, `/reports/${evidenceHash}`);
    const hash = html`<code title="${evidenceHash}">${evidenceHash.slice(0, 14)}…${evidenceHash.slice(-6)}</code>`;
    return html`<tr data-entry="${index}" data-hash="${evidenceHash}" data-decision="${decision}">${number}<td>${moment(capturedAt, reader.language)}</td><td>${decision === "ALLOW" ? words.allowed : words.denied}</td><td>${symbol === undefined ? hash : html`<a href="${report}">${hash}</a>`}</td><td>${symbol ?? "–"}</td></tr>\n`;
  };
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${words.entries}"><table class="entries">
<thead><tr><th scope="col" class="number">${words.entry}</th><th scope="col">${words.time}</th><th scope="col">${words.decision}</th><th scope="col">${words.evidence}</th><th scope="col">${words.stock}</th></tr></thead>
<tbody>${join(entries.map(row))}</tbody></table></div>`;
}

function checkpointPart(shard: SignedShard, vkey: string, language: Language): Html {
  const words = LOG_WORDS[language];
  const { origin, size, root } = parseCheckpoint(parseNote(shard.checkpoint).text);
  const witnesses = witnessesOf(shard);
  const links = ["checkpoint", "cosigned", "vkey"].filter((name) => name !== "cosigned" || shard.cosigned);
  return html`<section class="part after"><h2>${words.checkpointTitle}</h2><p class="soft">${words.checkpointHint}</p>${rows(
    [
      [words.name, origin],
      [words.size, count(size, language)],
      [words.root, html`<code>${toBase64(root)}</code>`],
      ...(shard.signed_at === null
        ? []
        : [[words.signedAt, moment(Math.floor(Number(shard.signed_at) / 1_000), language)] as const]),
      [words.key, html`<code>${vkey}</code>`],
      [
        words.witnesses,
        witnesses.length === 0
          ? words.noWitness
          : filled(words.cosigned, {
              names: listText(witnesses, language),
              size: count(shard.cosigned_size, language),
            }),
      ],
      [
        words.raw,
        html`${join(links.map((name) => html`<a href="/log/${name}">/log/${name}</a> `))}(${words.files})`,
      ],
    ],
  )}</section>`;
}

/** Names below the cosigned checkpoint beside the log's own. */
function witnessesOf({ cosigned, origin }: Shard): string[] {
  if (cosigned === null) return [];
  const names = parseNote(cosigned).signatures.map(({ name }) => name);
  return [...new Set(names)].filter((name) => name !== origin);
}
