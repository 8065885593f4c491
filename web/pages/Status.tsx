/** /status: what works at this moment. */
import type { ComponentChildren } from "preact";
import { filled } from "../../attestor/view/language.ts";
import { ago, count, nameOf } from "../format.ts";
import { Moment, Rows, Table, useLanguage } from "../parts.tsx";
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
  const bad =
    page.parts.filter(({ works }) => works === false).length +
    page.tasks.filter(({ isAway }) => isAway).length;
  return (
    <>
      <h1>{words.title}</h1>
      <p class="overall">
        <Dot works={bad === 0} /> {bad === 0 ? words.allGood : filled(words.someBad, { count: bad })}
      </p>
      <p class="soft">
        <Moment seconds={page.now} />
      </p>
      <Parts parts={page.parts} isAway={page.market === null} />
      <DecisionLog page={page} />
      <Changes changes={page.changes} />
      <Tasks tasks={page.tasks} />
      {page.market === null ? null : <Market market={page.market} isSimulated={isSimulated} />}
    </>
  );
}

/** @param works null: not known */
function Dot({ works }: { works: boolean | null }) {
  if (works === null) return <span class="dot" />;
  return <span class={works ? "dot good" : "dot bad"} />;
}

function Parts({ parts, isAway }: { parts: StatusPage["parts"]; isAway: boolean }) {
  const words = WORDS[useLanguage()];
  const stateOf = (works: boolean | null) => {
    if (works === null) return words.unknown;
    return works ? words.works : words.fails;
  };
  return (
    <section aria-labelledby="parts">
      <h2 id="parts" class="hidden">
        {words.now}
      </h2>
      <p class="soft">{isAway ? words.away : words.lead}</p>
      <table class="parts">
        <thead>
          <tr>
            <th scope="col">{words.part}</th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, works }) => (
            <tr>
              <th scope="row">
                <PartName name={name} />
              </th>
              <td>
                <Dot works={works} /> {stateOf(works)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
  const rows: (readonly [string, ComponentChildren])[] = [];
  if (log !== null) {
    const signedAgo =
      log.signedAgo === null ? words.none : filled(words.ago, { ago: ago(log.signedAgo, language) });
    rows.push(
      [words.entries, count(log.entries, language)],
      [words.signed, count(log.signed, language)],
      [words.checkpoint, signedAgo],
      [words.waiting, count(log.waiting, language)],
    );
  }
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

function Changes({ changes }: { changes: StatusPage["changes"] }) {
  const words = WORDS[useLanguage()];
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{words.pendingTitle}</h2>
      <p class="soft">{words.pendingLead}</p>
      <Table
        name={`${words.change}, ${words.ready}`}
        kind="plain"
        heads={[words.change, words.ready]}
        rows={changes.map(({ call, operation, readyAt }) => [
          <>
            {call}
            <small>{operation}</small>
          </>,
          <Moment seconds={readyAt} />,
        ])}
      />
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
        of={tasks.map(({ name, ago: seconds, isAway }) => [
          name,
          <>
            <Dot works={!isAway} />{" "}
            {seconds === null ? words.never : filled(words.ago, { ago: ago(seconds, language) })}
          </>,
        ])}
      />
    </section>
  );
}

/** Of hundreds of tokens without a price, so many are named. */
const MOST_NAMED = 60;
const MOST_REASONS = 30;

function Market({ market, isSimulated }: { market: MarketState; isSimulated: boolean }) {
  const language = useLanguage();
  const words = WORDS[language];
  const { round, series, providers, figures, setAside, unpriced } = market;
  const agoText = (seconds: number) => filled(words.ago, { ago: ago(seconds, language) });
  const number = (value: number) => count(value, language);
  const named = unpriced.slice(0, MOST_NAMED).map(({ symbol, chain }) => `${symbol} (${chain})`);
  const rest = unpriced.length - named.length;
  return (
    <>
      <section aria-labelledby="series">
        <h2 id="series">{words.seriesTitle}</h2>
        <p class="soft">
          {isSimulated ? `${words.simulated} ` : ""}
          {round === null
            ? ""
            : filled(words.round, { ago: ago(round.endedAgo, language), took: ago(round.took, language) })}
        </p>
        <Table
          name={`${words.kind}, ${words.series}`}
          kind="plain"
          heads={[words.kind, words.series, words.newest, words.oldest]}
          rows={series.map((each) => [
            each.kind,
            number(each.count),
            agoText(each.newestAgo),
            agoText(each.oldestAgo),
          ])}
        />
      </section>
      <StatusTable
        id="providers"
        title={words.providers}
        heads={[words.provider, words.lastAnswer, words.good, words.failures]}
        rows={providers.map(({ provider, lastSuccessAgo, successes, failures }) => [
          provider,
          lastSuccessAgo === null ? words.none : agoText(lastSuccessAgo),
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
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Nothing where there are no rows. */
function StatusTable({ id, title, heads, rows }: StatusTableProps) {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Table name={heads.join(", ")} kind="plain" heads={heads} rows={rows} />
    </section>
  );
}
