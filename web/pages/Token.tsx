/** A token over time: its newest figures, charts, and every hour in a table. */
import { useContext } from "preact/hooks";
import { signedPercent } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { hourSpanText, newYorkText } from "../../attestor/view/times.ts";
import { bps, NONE, nameOf, standing } from "../format.ts";
import { ReaderContext, Rows, useLanguage } from "../parts.tsx";
import { type Frame, type Hour, pathFor, type Token, type TokenPage, type TokenSeries } from "../props.ts";
import WORDS from "../words/token.json" with { type: "json" };
import type { Content } from "./Document.tsx";
import { Basis, Premium } from "./TokenSeries.tsx";

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
  const premiumHour = premium.findLast(({ close }) => close !== null);
  const edgeHour = premium.findLast(({ second }) => second !== null);
  const basisHour = basis.findLast(({ close }) => close !== null);
  const fundingHour = basis.findLast(({ second }) => second !== null);
  return (
    <Rows
      kind="figures"
      of={[
        [now.premium, <Newest hour={premiumHour} figure={premiumHour?.close} textOf={inBps} />],
        [now.edge, <Newest hour={edgeHour} figure={edgeHour?.second} textOf={inBps} />],
        [now.basis, <Newest hour={basisHour} figure={basisHour?.close} textOf={inBps} />],
        [now.funding, <Newest hour={fundingHour} figure={fundingHour?.second} textOf={percent} isSecond />],
      ]}
    />
  );
}

interface NewestProps {
  readonly hour: Hour | undefined;
  readonly figure: string | null | undefined;
  textOf(figure: string): string;
  /** The figure has a state of its own. */
  readonly isSecond?: boolean;
}

function Newest({ hour, figure = null, textOf, isSecond = false }: NewestProps) {
  const language = useLanguage();
  if (hour === undefined || figure === null)
    return (
      <>
        {NONE}
        <small>{WORDS[language].now.none}</small>
      </>
    );
  const { halted, state, secondState } = hour;
  return (
    <>
      {textOf(figure)}
      <small>
        <HourSpan seconds={hour.hour} />
        {` · ${standing({ state: isSecond ? secondState : state, halted }, language)}`}
      </small>
    </>
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
