/** A token over time: its newest figures, charts, and every hour in a table. */
import { useContext } from "preact/hooks";
import { signedPercent } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { hourSpanText, hourText, newYorkText } from "../../attestor/view/times.ts";
import { Chart } from "../charts/Chart.tsx";
import type { ChartProps } from "../charts/plot.ts";
import { ago, bps, count, NONE, nameOf, standing } from "../format.ts";
import { Island } from "../island.tsx";
import { HourTime, ReaderContext, Rows, Table, useLanguage } from "../parts.tsx";
import {
  type Frame,
  type Hour,
  MARKET_SESSIONS,
  pathFor,
  type Token,
  type TokenPage,
  type TokenSeries,
} from "../props.ts";
import WORDS from "../words/token.json" with { type: "json" };
import type { Content } from "./Document.tsx";

const DAYS = [1, 7, 30] as const;

export function tokenContent(page: TokenPage, { language }: Frame): Content {
  const { token, days } = page;
  return {
    title: `${token.symbol}, ${language === "zh" ? token.nameCn : token.nameEn}`,
    description: filled(WORDS[language].description, { symbol: token.symbol }),
    islands: ["token.tsx"],
    source: dataPath("premium", token, days),
    main: <TokenMain page={page} />,
  };
}

function TokenMain({ page: { token, unpriced, days, series } }: { page: TokenPage }) {
  const words = WORDS[useLanguage()];
  return (
    <>
      <TokenHead token={token} unpriced={unpriced} />
      {series === null ? (
        <p class="remark">{words.degraded}</p>
      ) : (
        <>
          <KeyFigures series={series} />
          <RangeLinks path={token.path} days={days} />
          <Premium series={series} />
          <Basis series={series} />
          <Data token={token} days={days} venue={series.venue} />
        </>
      )}
    </>
  );
}

function TokenHead({ token, unpriced }: Pick<TokenPage, "token" | "unpriced">) {
  const language = useLanguage();
  const words = WORDS[language];
  return (
    <div class="token-head">
      <h1>
        {token.symbol} <span class="soft">{language === "zh" ? token.nameCn : token.nameEn}</span>
      </h1>
      <Rows
        kind="inline"
        of={[
          [words.stock, token.underlying],
          [words.issuer, nameOf("issuers", token.issuer, language)],
          [words.chain, nameOf("chains", token.chain, language)],
          [words.address, <code>{token.address}</code>],
        ]}
      />
      {unpriced === null ? null : <p class="remark">{filled(words.unpriced, { reason: unpriced })}</p>}
    </div>
  );
}

/** The newest figure of each series. */
function KeyFigures({ series: { premium, basis } }: { series: TokenSeries }) {
  const { now } = WORDS[useLanguage()];
  const percent = (text: string) => filled(now.perYear, { percent: signedPercent(Number(text)) });
  const inBps = (text: string) => `${bps(Number(text))} bps`;
  return (
    <dl class="figures">
      <KeyFigure name={now.premium} hours={premium} figureOf={({ close }) => close} textOf={inBps} />
      <KeyFigure name={now.edge} hours={premium} figureOf={({ second }) => second} textOf={inBps} />
      <KeyFigure name={now.basis} hours={basis} figureOf={({ close }) => close} textOf={inBps} />
      <KeyFigure
        name={now.funding}
        hours={basis}
        figureOf={({ second }) => second}
        stateOf={({ secondState }) => secondState}
        textOf={percent}
      />
    </dl>
  );
}

interface KeyFigureProps {
  readonly name: string;
  readonly hours: readonly Hour[];
  figureOf(hour: Hour): string | null;
  stateOf?(hour: Hour): Hour["state"];
  textOf(figure: string): string;
}

function KeyFigure({ name, hours, figureOf, stateOf = ({ state }) => state, textOf }: KeyFigureProps) {
  const language = useLanguage();
  const hour = hours.findLast((each) => figureOf(each) !== null);
  const figure = hour === undefined ? null : figureOf(hour);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {figure === null ? NONE : textOf(figure)}
        <small>
          {hour === undefined ? (
            WORDS[language].now.none
          ) : (
            <>
              <HourSpan seconds={hour.hour} />
              {` · ${standing({ state: stateOf(hour), halted: hour.halted }, language)}`}
            </>
          )}
        </small>
      </dd>
    </div>
  );
}

/** `22 Nov, 10:00 to 11:00 UTC, 05:00 New York`. @param seconds unix */
function HourSpan({ seconds }: { seconds: number }) {
  const language = useLanguage();
  const ms = seconds * 1_000;
  return (
    <>
      <time dateTime={`${new Date(ms).toISOString().slice(0, 16)}Z`} data-time="span">
        {`${hourSpanText(ms, { language, zone: "UTC" })} UTC`}
      </time>
      {`, ${newYorkText(ms, language)}`}
    </>
  );
}

function RangeLinks({ path, days }: { path: string; days: number }) {
  const reader = useContext(ReaderContext);
  const words = WORDS[reader.language];
  return (
    <nav class="range" aria-label={words.range}>
      {DAYS.map((each) => (
        <a
          href={pathFor(reader, `${path}${path.includes("?") ? "&" : "?"}days=${each}`)}
          aria-current={each === days ? "true" : undefined}
        >
          {words.days[each]}
        </a>
      ))}
    </nav>
  );
}

function Premium({ series }: { series: TokenSeries }) {
  const language = useLanguage();
  const words = WORDS[language];
  const { premium, from, to } = series;
  const hours = (to - from) / 3_600;
  const without = hours - premium.filter(({ close }) => close !== null).length;
  const gaps = { without: count(without, language), all: count(hours, language) };
  return (
    <section aria-labelledby="premium">
      <h2 id="premium">{words.premium.title}</h2>
      <p class="about">{words.premium.about}</p>
      {premium.length === 0 ? (
        <p class="remark">{words.empty}</p>
      ) : (
        <>
          <SessionKey hours={premium} />
          <TokenChart
            {...chartOf(series, premium, language)}
            label={words.premium.chart}
            line={words.legend.line}
          />
          <HourTable
            title={words.premium.title}
            hours={premium}
            close={words.columns.premium}
            second={words.columns.edge}
          />
          <p class="remark">{filled(without === 0 ? words.noGaps : words.gaps, gaps)}</p>
        </>
      )}
    </section>
  );
}

function Basis({ series }: { series: TokenSeries }) {
  const language = useLanguage();
  const words = WORDS[language];
  const { venue, basis } = series;
  return (
    <section aria-labelledby="basis">
      <h2 id="basis">{words.basis.title}</h2>
      {venue === null ? <p class="remark">{words.basis.none}</p> : null}
      {venue === null ? null : <p class="about">{filled(words.basis.about, { venue })}</p>}
      {venue !== null && basis.length === 0 ? <p class="remark">{words.empty}</p> : null}
      {basis.length === 0 ? null : (
        <>
          <TokenChart
            {...chartOf(series, basis, language)}
            label={words.basis.chart}
            line={words.legend.basis}
            second={{ name: words.legend.funding, values: basis.map(({ second }) => figure(second)) }}
          />
          <HourTable
            title={words.basis.title}
            hours={basis}
            close={words.columns.basis}
            second={words.columns.funding}
            isPercent
          />
        </>
      )}
    </section>
  );
}

/** Drawn by script; the table below says the same. */
function TokenChart(props: ChartProps) {
  return (
    <Island name="token" props={props}>
      <Chart {...props} draw={null} />
    </Island>
  );
}

const figure = (text: string | null): number | null => (text === null ? null : Number(text));

function chartOf({ from, to }: TokenSeries, hours: readonly Hour[], language: "en" | "zh") {
  const words = WORDS[language];
  return {
    language,
    from,
    to,
    time: words.columns.hour,
    low: words.columns.low,
    high: words.columns.high,
    hours: hours.map(({ hour }) => hour),
    values: hours.map(({ close }) => figure(close)),
    lows: hours.map(({ low }) => figure(low)),
    highs: hours.map(({ high }) => figure(high)),
    sessions: spansOf(hours),
  };
}

/** Sessions that are shaded. What a provider calls otherwise is none. */
const SHADED: readonly string[] = MARKET_SESSIONS.filter((name) => name !== "regular");

/** Stretches of one session. */
function spansOf(hours: readonly Hour[]): ChartProps["sessions"] {
  const spans: { name: string; from: number; to: number }[] = [];
  for (const { hour, session } of hours) {
    const last = spans[spans.length - 1];
    if (last?.name === session && last.to === hour) last.to = hour + 3_600;
    else spans.push({ name: session, from: hour, to: hour + 3_600 });
  }
  return spans.filter(({ name }) => SHADED.includes(name));
}

/** What the shades behind the line mean. */
function SessionKey({ hours }: { hours: readonly Hour[] }) {
  const language = useLanguage();
  const names = SHADED.filter((name) => hours.some(({ session }) => session === name));
  if (names.length === 0) return null;
  return (
    <p class="legend">
      {names.map((name) => (
        <span>
          <i class={`key-${name}`} />
          {nameOf("sessions", name, language)}
        </span>
      ))}
    </p>
  );
}

interface HourTableProps {
  readonly title: string;
  readonly hours: readonly Hour[];
  readonly close: string;
  readonly second: string;
  /** The second figure is percent a year; else basis points. */
  readonly isPercent?: boolean;
}

/** Every hour, the newest first. */
function HourTable({ title, hours, close, second, isPercent = false }: HourTableProps) {
  const language = useLanguage();
  const words = WORDS[language];
  const { columns } = words;
  const secondText = (text: string | null) => {
    if (text === null) return NONE;
    return isPercent ? signedPercent(Number(text)) : bps(Number(text));
  };
  const shown = filled(words.table, { shown: count(hours.length, language) });
  return (
    <Table
      name={`${title}: ${shown}`}
      kind="hours"
      heads={[
        <span data-zone>{columns.time}</span>,
        columns.newYork,
        close,
        columns.low,
        columns.high,
        second,
        columns.session,
        columns.source,
        columns.reference,
        columns.age,
        columns.samples,
        columns.state,
        columns.spread,
      ]}
      figures={[2, 3, 4, 5, 9, 10, 12]}
      rows={hours.toReversed().map((hour) => [
        <HourTime seconds={hour.hour} />,
        hourText(hour.hour * 1_000, { language, zone: "America/New_York" }),
        bps(figure(hour.close)),
        bps(figure(hour.low)),
        bps(figure(hour.high)),
        secondText(hour.second),
        nameOf("sessions", hour.session, language),
        hour.source,
        hour.reference?.replaceAll(",", ", ") ?? NONE,
        ago(hour.age, language),
        count(hour.samples, language),
        standing(hour, language) || NONE,
        // A distance has no sign.
        figure(hour.spread)?.toFixed(1) ?? NONE,
      ])}
    />
  );
}

const dataPath = (kind: "premium" | "basis", { address }: Token, days: number): string =>
  `/api/${kind}/history?address=${address}&days=${days}`;

interface DataProps {
  readonly token: Token;
  readonly days: number;
  readonly venue: string | null;
}

function Data({ token, days, venue }: DataProps) {
  const words = WORDS[useLanguage()];
  const premium = dataPath("premium", token, days);
  const basis = `${dataPath("basis", token, days)}${venue === null ? "" : `&venue=${venue}`}`;
  return (
    <section aria-labelledby="data">
      <h2 id="data">{words.data}</h2>
      <ul class="links">
        <li>
          <a href={`${premium}&format=csv`}>{words.csvPremium}</a>
        </li>
        <li>
          <a href={`${basis}&format=csv`}>{words.csvBasis}</a>
        </li>
        {[premium, basis].map((path) => (
          <li>
            <a href={path}>
              <code>{path}</code>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
