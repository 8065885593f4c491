/** A token's series: a chart of each by script, and every hour in a table that says the same. */
import { signedPercent } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { hourText } from "../../attestor/view/times.ts";
import { Chart } from "../charts/Chart.tsx";
import type { ChartProps } from "../charts/plot.ts";
import { ago, bps, count, NONE, nameOf, standing } from "../format.ts";
import { Island } from "../island.tsx";
import { HourTime, Table, useLanguage } from "../parts.tsx";
import { type Hour, MARKET_SESSIONS, type TokenSeries } from "../props.ts";
import WORDS from "../words/token.json" with { type: "json" };

export function Premium({ series }: { series: TokenSeries }) {
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

export function Basis({ series }: { series: TokenSeries }) {
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
