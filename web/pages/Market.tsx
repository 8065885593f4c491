/** The first page: what this is, and the market at a glance. */
import type { ComponentChildren } from "preact";
import { filled } from "../../attestor/view/language.ts";
import { dayText } from "../../attestor/view/times.ts";
import { count, dollars, NONE, nameOf } from "../format.ts";
import { Moment, PageLink, Rows, useLanguage } from "../parts.tsx";
import type { Frame, MarketDay, MarketPage } from "../props.ts";
import WORDS from "../words/market.json" with { type: "json" };
import type { Content } from "./Document.tsx";
import { choicePath, MarketFilters, MarketPager, MarketTable } from "./MarketTable.tsx";

export function marketContent(page: MarketPage, { language }: Frame): Content {
  const words = WORDS[language];
  return {
    title: words.title,
    description: words.lead,
    source: "/api/market-overview?days=90",
    main: <Market page={page} />,
  };
}

function Market({ page }: { page: MarketPage }) {
  const words = WORDS[useLanguage()];
  const isFirst = choicePath(page.choice) === "/";
  return (
    <>
      {isFirst ? <Hero /> : <h1>{words.market}</h1>}
      <Figures page={page} />
      <Totals days={page.days} now={page.now} />
      <section aria-labelledby="market">
        <div class="head">
          <h2 id="market">{isFirst ? words.market : words.tokens}</h2>
          <p class="soft">
            {words.asOf} <Moment seconds={page.now} />
          </p>
        </div>
        <MarketFilters page={page} />
        <MarketTable page={page} />
        <MarketPager choice={page.choice} pages={page.pages} />
      </section>
      {isFirst ? <Steps /> : null}
    </>
  );
}

function Hero() {
  const words = WORDS[useLanguage()];
  return (
    <section class="hero">
      <h1>{words.headline}</h1>
      <p class="lead soft">{words.lead}</p>
      <p class="soft">
        {words.checkBefore} <PageLink to="/verify">{words.check}</PageLink>
        {words.checkAfter}
      </p>
    </section>
  );
}

function Figures({ page: { session, totals } }: { page: MarketPage }) {
  const language = useLanguage();
  const words = WORDS[language];
  const until =
    session === null ? (
      words.sessionAlways
    ) : (
      <>
        {words.until} <Moment seconds={session.closesAt} />
      </>
    );
  const withData =
    totals === null
      ? words.noDatabase
      : filled(words.tokensWithData, { number: count(totals.withData, language) });
  const figure = (value: ComponentChildren, about: ComponentChildren) => (
    <>
      {value}
      <small>{about}</small>
    </>
  );
  const tokens = totals === null ? NONE : count(totals.tokens, language);
  return (
    <Rows
      kind="figures"
      of={[
        [words.session, figure(nameOf("sessions", session?.state ?? "regular", language), until)],
        [words.volume, figure(dollars(totals?.volumeUsd ?? null, language), words.volumeOf)],
        [words.liquidity, figure(dollars(totals?.liquidityUsd ?? null, language), words.liquidityOf)],
        [words.tokens, figure(tokens, withData)],
      ]}
    />
  );
}

/** Days of the totals' charts. */
const TOTAL_DAYS = 90;
const STEP = 4;
const HEIGHT = 60;

/** The totals of 90 days as two small charts, drawn here so that they need no script. */
function Totals({ days, now }: { days: readonly MarketDay[]; now: number }) {
  const words = WORDS[useLanguage()];
  const known = days.filter(({ volumeUsd, liquidityUsd }) => volumeUsd !== null && liquidityUsd !== null);
  if (known.length < 2) return null;
  return (
    <div class="totals">
      <Bars name={words.volume} days={known} now={now} amountOf={({ volumeUsd }) => volumeUsd ?? 0} />
      <Bars
        name={words.liquidity}
        days={known}
        now={now}
        amountOf={({ liquidityUsd }) => liquidityUsd ?? 0}
      />
      {known.length < days.length ? <p class="soft">{words.gaps}</p> : null}
    </div>
  );
}

interface BarsProps {
  readonly name: string;
  readonly days: readonly MarketDay[];
  readonly now: number;
  amountOf(day: MarketDay): number;
}

/** A bar a day; a day without totals is a gap. */
function Bars({ name, days, now, amountOf }: BarsProps) {
  const language = useLanguage();
  const last = days[days.length - 1];
  const highest = days.reduce((one, other) => (amountOf(other) > amountOf(one) ? other : one));
  if (last === undefined) return null;
  const dayOf = ({ day }: MarketDay) => dayText(Date.parse(day), { language, zone: "UTC" });
  const label = filled(WORDS[language].totalsLabel, {
    name,
    days: TOTAL_DAYS,
    last: dollars(amountOf(last), language),
    lastDay: dayOf(last),
    high: dollars(amountOf(highest), language),
    highDay: dayOf(highest),
  });
  const today = Math.floor(now / 86_400);
  const path = days
    .map((day) => {
      const place = TOTAL_DAYS - (today - Date.parse(day.day) / 86_400_000);
      const height = Math.max(1, Math.round((amountOf(day) / (amountOf(highest) || 1)) * (HEIGHT - 2)));
      return place < 0 ? "" : `M${place * STEP + STEP / 2} ${HEIGHT}v-${height}`;
    })
    .join("");
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <svg
        viewBox={`0 0 ${TOTAL_DAYS * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <path d={path} />
      </svg>
    </figure>
  );
}

function Steps() {
  const words = WORDS[useLanguage()];
  return (
    <section aria-labelledby="how">
      <h2 id="how">{words.how}</h2>
      <ol class="steps">
        {[words.step1, words.step2, words.step3].map(({ name, text }) => (
          <li>
            <h3>{name}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
