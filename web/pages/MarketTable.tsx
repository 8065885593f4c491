/** The tokens of the market: filters in the address, a table that sorts by its heads, and pages. All works without script. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { filled } from "../../attestor/view/language.ts";
import { bps, dollars, NONE, nameOf, price, standing } from "../format.ts";
import { Clock, PageLink, ReaderContext, useLanguage } from "../parts.tsx";
import {
  MARKET_SESSIONS,
  type MarketChoice,
  type MarketPage,
  type MarketRow,
  type MarketSort,
  pathFor,
} from "../props.ts";
import WORDS from "../words/market.json" with { type: "json" };

/** The path of a choice: what is by default is not said. */
export function choicePath(choice: MarketChoice): string {
  const { search, issuer, chain, session, sort, ascending, page } = choice;
  const query = new URLSearchParams();
  if (search !== "") query.set("q", search);
  for (const [name, value] of Object.entries({ issuer, chain, session, sort }))
    if (value !== null) query.set(name, value);
  if (sort !== null && ascending !== (sort === "symbol")) query.set("order", ascending ? "asc" : "desc");
  if (page > 1) query.set("page", String(page));
  return query.size === 0 ? "/" : `/?${query}`;
}

export function MarketFilters({ page: { choice, issuers, chains } }: { page: MarketPage }) {
  const { language, explicit } = useContext(ReaderContext);
  const words = WORDS[language];
  const { search, issuer, chain, session, sort, ascending } = choice;
  const isNarrowed = search !== "" || issuer !== null || chain !== null || session !== null;
  const all = { ...choice, search: "", issuer: null, chain: null, session: null, page: 1 };
  return (
    <form class="filters" action="/">
      <label class="search">
        <span>{words.search}</span>
        <input type="search" name="q" value={search} maxLength={200} aria-description={words.searchHelp} />
      </label>
      <Choice name="issuer" label={words.issuer} kind="issuers" values={issuers} chosen={issuer} />
      <Choice name="chain" label={words.chain} kind="chains" values={chains} chosen={chain} />
      <Choice
        name="session"
        label={words.filterSession}
        kind="sessions"
        values={MARKET_SESSIONS}
        chosen={session}
      />
      {sort === null ? null : <input type="hidden" name="sort" value={sort} />}
      {sort === null ? null : <input type="hidden" name="order" value={ascending ? "asc" : "desc"} />}
      {explicit ? <input type="hidden" name="lang" value={language} /> : null}
      <button type="submit">{words.apply}</button>
      {isNarrowed ? <PageLink to={choicePath(all)}>{words.clear}</PageLink> : null}
    </form>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly kind: "issuers" | "chains" | "sessions";
  readonly values: readonly string[];
  readonly chosen: string | null;
}

function Choice({ name, label, kind, values, chosen }: ChoiceProps) {
  const language = useLanguage();
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        <option value="">{WORDS[language].all}</option>
        {values.map((value) => (
          <option value={value} selected={value === chosen}>
            {nameOf(kind, value, language)}
          </option>
        ))}
      </select>
    </label>
  );
}

export function MarketTable({ page }: { page: MarketPage }) {
  const words = WORDS[useLanguage()];
  const { choice, rows, hasPrices } = page;
  if (rows.length === 0) return <p>{choicePath(choice) === "/" ? words.empty : words.noMatch}</p>;
  return (
    <div class="scroll">
      <table class="market">
        <thead>
          <tr>
            <Head choice={choice} sort="symbol" name={words.token} />
            {hasPrices ? (
              <th class="number" scope="col">
                {words.price}
              </th>
            ) : null}
            <Head choice={choice} sort="premium" name={words.premium} help={words.premiumHelp} />
            <th scope="col">{words.week}</th>
            <th scope="col" class="number wide">
              {words.range}
            </th>
            <Head choice={choice} sort="liquidity" name={words.liquidity} />
            <Head choice={choice} sort="volume" name={words.volume} />
            {hasPrices ? <th scope="col">{words.grade}</th> : null}
            <th scope="col" class="wide">
              {words.measured}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row row={row} now={page.now} hasPrices={hasPrices} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps {
  readonly choice: MarketChoice;
  readonly sort: MarketSort;
  readonly name: string;
  readonly help?: string;
}

/** A column's name, which sorts by it; a second time the other way round. */
function Head({ choice, sort, name, help }: HeadProps) {
  const reader = useContext(ReaderContext);
  const isSorted = choice.sort === sort;
  const ascending = isSorted ? !choice.ascending : sort === "symbol";
  const order = choice.ascending ? "ascending" : "descending";
  const arrow = choice.ascending ? " ↑" : " ↓";
  return (
    <th scope="col" class={sort === "symbol" ? undefined : "number"} aria-sort={isSorted ? order : undefined}>
      <a
        href={pathFor(reader, choicePath({ ...choice, sort, ascending, page: 1 }))}
        title={filled(WORDS[reader.language].sortBy, { name })}
      >
        {name}
        {isSorted ? arrow : ""}
      </a>
      {help === undefined ? null : <small>{help}</small>}
    </th>
  );
}

interface RowProps {
  readonly row: MarketRow;
  readonly now: number;
  readonly hasPrices: boolean;
}

function Row({ row, now, hasPrices }: RowProps) {
  const language = useLanguage();
  const { token, newest, low, high } = row;
  const name = language === "zh" ? token.nameCn : token.nameEn;
  const issued = `${nameOf("issuers", token.issuer, language)} · ${nameOf("chains", token.chain, language)}`;
  return (
    <tr>
      <th scope="row">
        <PageLink to={token.path}>{token.symbol}</PageLink>
        <small>{`${name} · ${issued}`}</small>
      </th>
      {hasPrices ? <td class="number">{price(row.priceUsd)}</td> : null}
      <td class={`number premium ${toneOf(newest?.premium ?? null)}`}>
        {bps(newest?.premium ?? null)}
        {newest === null ? null : <small>{standingOf(newest, language)}</small>}
      </td>
      <td>
        <Week row={row} now={now} />
      </td>
      <td class="number wide soft">{low === null ? "" : `${bps(low)} … ${bps(high)}`}</td>
      <td class="number">{dollars(row.liquidityUsd, language)}</td>
      <td class="number">{dollars(row.volumeUsd, language)}</td>
      {hasPrices ? <td>{row.grade ?? NONE}</td> : null}
      <td class="wide soft">{newest === null ? null : <Measured newest={newest} />}</td>
    </tr>
  );
}

type Newest = NonNullable<MarketRow["newest"]>;

function toneOf(premium: number | null): string {
  // What is shown as zero is on neither side.
  if (premium === null || Math.abs(premium) < 0.05) return "";
  return premium < 0 ? "down" : "up";
}

/** How its sources stand to each other, and how far apart those that agree are. */
function standingOf(newest: Newest, language: "en" | "zh"): string {
  const { state, spread } = newest;
  const texts = [standing(newest, language)];
  // One source alone is apart from nobody.
  if (spread !== null && state !== "single")
    texts.push(filled(WORDS[language].apart, { spread: spread.toFixed(1) }));
  return texts.filter((text) => text !== "").join(", ");
}

function Measured({ newest: { source, session, hour } }: { newest: Newest }) {
  const language = useLanguage();
  return (
    <>
      <span>{source}</span>
      <small>
        {nameOf("sessions", session, language)}, {WORDS[language].hourOf} <Clock seconds={hour} />
      </small>
    </>
  );
}

const WIDTH = 168;
const LINE_HEIGHT = 36;
const PAD = 3;
/** Hours that make one place of the line. */
const STEP = 2;

/** A week as a line. Hours without a figure are gaps, no line leads over them. */
function Week({ row: { token, week, low, high }, now }: Pick<RowProps, "row" | "now">): ComponentChildren {
  const words = WORDS[useLanguage()];
  if (week === null) return <span class="soft">{words.away}</span>;
  const places = placesOf(week, now);
  const known = places.filter((value) => value !== null);
  if (known.length < 2) return <span class="soft">{words.none}</span>;
  // Zero belongs to a premium: how far away it is, is the news.
  const bottom = Math.min(0, ...known);
  const top = Math.max(0, ...known);
  const y = (value: number) =>
    Math.round(PAD + ((top - value) / (top - bottom || 1)) * (LINE_HEIGHT - 2 * PAD));
  const label = filled(words.spark, { symbol: token.symbol, low: bps(low), high: bps(high) });
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${LINE_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="zero" d={`M0 ${y(0)}H${WIDTH}`} />
      <path d={linePath(places, y)} />
    </svg>
  );
}

/** The last figure of each two hours of the last seven days, oldest first. */
function placesOf(week: NonNullable<MarketRow["week"]>, now: number): (number | null)[] {
  const end = Math.floor(now / 3_600) + 1;
  const places: (number | null)[] = Array.from({ length: WIDTH / STEP }, () => null);
  for (const [hour, value] of week) {
    const place = Math.floor((hour / 3_600 - (end - WIDTH)) / STEP);
    if (value !== null && place >= 0 && place < places.length) places[place] = value;
  }
  return places;
}

/** From place to place by steps, which take half the room of places; each part begins with a dot, and may be no more. */
function linePath(places: readonly (number | null)[], y: (value: number) => number): string {
  let path = "";
  let previous: number | null = null;
  for (const [place, value] of places.entries()) {
    const height = value === null ? null : y(value);
    if (height !== null && previous === null) path += `M${place * STEP + STEP / 2} ${height}h.1`;
    if (height !== null && previous !== null) path += `l${STEP} ${height - previous}`;
    previous = height;
  }
  return path;
}

export function MarketPager({ choice, pages }: { choice: MarketChoice; pages: number }) {
  const reader = useContext(ReaderContext);
  const words = WORDS[reader.language];
  const { page } = choice;
  if (pages <= 1) return null;
  const to = (number: number) => pathFor(reader, choicePath({ ...choice, page: number }));
  return (
    <nav class="pager" aria-label={words.pager}>
      {page > 1 ? (
        <a rel="prev" href={to(page - 1)}>
          {words.before}
        </a>
      ) : (
        <span />
      )}
      <span class="soft number">{filled(words.pageOf, { page, pages })}</span>
      {page < pages ? (
        <a rel="next" href={to(page + 1)}>
          {words.next}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
