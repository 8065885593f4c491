/** /status: what works at this moment. */
import type { ComponentChildren } from "preact";
import { filled } from "../../attestor/view/language.ts";
import { ago, count, nameOf } from "../format.ts";
import { Moment, type Row, Rows, Table, useLanguage } from "../parts.tsx";
import type { Frame, MarketState, StatusPage } from "../props.ts";
import WORDS from "../words/status.json" with { type: "json" };
import type { Content } from "./Document.tsx";

export function statusContent(page: StatusPage, { language, simulated }: Frame): Content {
  const words = WORDS[language];
  return {
    title: words.title,
    description: words.lead,
    source: "/readyz?verbose",
    main: <Status page={page} isSimulated={simulated} />,
  };
}

function Status({ page, isSimulated }: { page: StatusPage; isSimulated: boolean }) {
  const words = WORDS[useLanguage()];
  const { parts, tasks, changes, market } = page;
  const bad =
    parts.filter(({ works }) => works === false).length + tasks.filter(({ isAway }) => isAway).length;
  return (
    <>
      <h1>{words.title}</h1>
      <p class="overall">
        <Dot works={bad === 0} /> {bad === 0 ? words.allGood : filled(words.someBad, { count: bad })}
      </p>
      <p class="soft">
        <Moment seconds={page.now} />
      </p>
      <StatusTable
        id="parts"
        title={words.now}
        lead={market === null ? words.away : words.lead}
        heads={[words.part, words.state]}
        rows={parts.map(({ name, works }) => [<PartName name={name} />, <State works={works} />])}
      />
      <DecisionLog page={page} />
      <StatusTable
        id="changes"
        title={words.pendingTitle}
        lead={words.pendingLead}
        heads={[words.change, words.ready]}
        rows={changes.map(({ call, operation, readyAt }) => [
          <>
            {call}
            <small>{operation}</small>
          </>,
          <Moment seconds={readyAt} />,
        ])}
      />
      <Tasks tasks={tasks} />
      {market === null ? null : <Market market={market} isSimulated={isSimulated} />}
    </>
  );
}

/** @param works null: not known */
function Dot({ works }: { works: boolean | null }) {
  if (works === null) return <span class="dot" />;
  return <span class={works ? "dot good" : "dot bad"} />;
}

function State({ works }: { works: boolean | null }) {
  const words = WORDS[useLanguage()];
  const known = works ? words.works : words.fails;
  return (
    <>
      <Dot works={works} /> {works === null ? words.unknown : known}
    </>
  );
}

/** @param name `database`, `provider/jupiter` */
function PartName({ name }: { name: string }) {
  const words = WORDS[useLanguage()];
  const [kind = "", ...rest] = name.split("/");
  const about: Readonly<Record<string, string>> = words.about;
  const names: Readonly<Record<string, string>> = words.names;
  return (
    <>
      {rest.length > 0 ? rest.join("/") : (names[name] ?? name)}
      <small>{about[kind] ?? ""}</small>
    </>
  );
}

function DecisionLog({ page: { log, logFault, signer, nextSigner } }: { page: StatusPage }) {
  const language = useLanguage();
  const words = WORDS[language];
  const rows: Row[] = [];
  if (log !== null)
    rows.push(
      [words.entries, count(log.entries, language)],
      [words.signed, count(log.signedEntries, language)],
      [words.checkpoint, agoText(log.signedAgo, language) ?? words.none],
      [words.waiting, count(log.waiting, language)],
    );
  rows.push([words.signer, <code>{signer}</code>]);
  if (nextSigner !== null) rows.push([words.next, <code>{nextSigner}</code>]);
  return (
    <section aria-labelledby="log">
      <h2 id="log">{words.logTitle}</h2>
      <Rows kind="inline" of={rows} />
      {logFault === null ? null : <p class="down">{logFault}</p>}
    </section>
  );
}

/** What goes on in the background, and when it was heard of last. */
function Tasks({ tasks }: { tasks: StatusPage["tasks"] }) {
  const language = useLanguage();
  const words = WORDS[language];
  if (tasks.length === 0) return null;
  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">{words.tasksTitle}</h2>
      <p class="soft">{words.tasksLead}</p>
      <Rows
        kind="inline"
        of={tasks.map((task) => [
          task.name,
          <>
            <Dot works={!task.isAway} /> {agoText(task.ago, language) ?? words.never}
          </>,
        ])}
      />
    </section>
  );
}

const agoText = (seconds: number | null, language: "en" | "zh"): string | null =>
  seconds === null ? null : filled(WORDS[language].ago, { ago: ago(seconds, language) });

/** Of hundreds of tokens without a price, so many are named. */
const MOST_NAMED = 60;
const MOST_REASONS = 30;

function Market({ market, isSimulated }: { market: MarketState; isSimulated: boolean }) {
  const language = useLanguage();
  const words = WORDS[language];
  const { round, series, providers, figures, setAside, unpriced } = market;
  const number = (value: number) => count(value, language);
  const lead = isSimulated ? [words.simulated] : [];
  if (round !== null)
    lead.push(filled(words.round, { ago: ago(round.endedAgo, language), took: ago(round.took, language) }));
  const named = unpriced.slice(0, MOST_NAMED).map(({ symbol, chain }) => `${symbol} (${chain})`);
  const rest = unpriced.length - named.length;
  return (
    <>
      <StatusTable
        id="series"
        title={words.seriesTitle}
        lead={lead.join(" ")}
        heads={[words.kind, words.series, words.newest, words.oldest]}
        rows={series.map((each) => [
          each.kind,
          number(each.count),
          agoText(each.newestAgo, language),
          agoText(each.oldestAgo, language),
        ])}
      />
      <StatusTable
        id="providers"
        title={words.providers}
        heads={[words.provider, words.lastAnswer, words.good, words.failures]}
        rows={providers.map(({ provider, lastSuccessAgo, successes, failures }) => [
          provider,
          agoText(lastSuccessAgo, language) ?? words.none,
          number(successes),
          failuresText(failures, language),
        ])}
      />
      <StatusTable
        id="figures"
        title={words.figuresTitle}
        heads={[words.kind, words.state, words.figures, words.forAnHour]}
        rows={figures.map((each) => [
          each.kind,
          nameOf("states", each.state, language),
          number(each.count),
          number(each.forAnHour),
        ])}
      />
      <StatusTable
        id="excluded"
        title={words.aside}
        heads={[words.kind, words.reason, words.figures]}
        rows={setAside.slice(0, MOST_REASONS).map((each) => [each.kind, each.reason, number(each.count)])}
      />
      {unpriced.length === 0 ? null : (
        <section aria-labelledby="unpriced">
          <h2 id="unpriced">{words.unpriced}</h2>
          <p class="soft">
            {named.join(", ")} {rest > 0 ? filled(words.more, { count: number(rest) }) : ""}
          </p>
        </section>
      )}
    </>
  );
}

function failuresText(failures: Readonly<Record<string, number>>, language: "en" | "zh"): string {
  const texts = Object.entries(failures).map(([kind, number]) => `${kind}: ${count(number, language)}`);
  return texts.length === 0 ? "0" : texts.join(", ");
}

interface StatusTableProps {
  readonly id: string;
  readonly title: string;
  readonly lead?: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** Nothing where there are no rows. */
function StatusTable({ id, title, lead = "", heads, rows }: StatusTableProps) {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead === "" ? null : <p class="soft">{lead}</p>}
      <Table name={heads.join(", ")} kind="plain" heads={heads} rows={rows} />
    </section>
  );
}
