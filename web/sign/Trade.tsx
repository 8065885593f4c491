/** /sign: one prepared trade in words, as judged in this browser, and what the reader's wallet may do with it. */
import { useEffect, useState } from "preact/hooks";
import { grouped } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import type { JudgedView } from "../../attestor/view/reportView.ts";
import { tradeSentence } from "../../attestor/view/words.ts";
import { saveFile } from "../browser.ts";
import { Moment, named, Rows, Section } from "../parts.tsx";
import { symbolsOf } from "../report/Details.tsx";
import { Findings } from "../report/Findings.tsx";
import { inCommand } from "../report/inFields.ts";
import type { Judge } from "../report/judge.ts";
import { Report } from "../report/Report.tsx";
import { VerdictBox } from "../report/Verdict.tsx";
import names from "../words/report.json" with { type: "json" };
import SIGN_WORDS from "../words/sign.json" with { type: "json" };
import { faultText } from "./faults.ts";
import { TradeSteps } from "./TradeSteps.tsx";
import { connectFor, fetchTrade, type Ruling, rulingOn, type Signer, type TradeLink } from "./trade.ts";
import { Wallets } from "./Wallets.tsx";

const words = SIGN_WORDS.trade;

export interface TradeProps {
  readonly link: TradeLink;
  readonly judge: Judge;
  /** Unix milliseconds. */
  now(): number;
}

export function Trade({ link, judge, now }: TradeProps) {
  const [text, setText] = useState<string | null>(null);
  const [fault, setFault] = useState("");
  const [ruling, setRuling] = useState<Ruling | null>(null);
  const [by, setBy] = useState<Signer | null>(null);
  const [isOpen, setOpen] = useState(false);
  const signer = by?.signer ?? null;
  const failed = (error: unknown) => setFault(faultText(error));
  useEffect(() => {
    fetchTrade(link).then(setText).catch(failed);
  }, []);
  useEffect(() => {
    if (text === null) return;
    rulingOn(judge, text, link, signer)
      .then((next) => next !== null && setRuling(next))
      .catch(failed);
  }, [text, signer]);
  if (fault !== "")
    return (
      <p class="fault" role="alert">
        {fault}
      </p>
    );
  if (text === null || ruling === null) return <p class="soft">{words.loading}</p>;
  const { view } = ruling;
  const connect = async (wallet: Signer["wallet"]) =>
    setBy(await connectFor(wallet, link, view.judged?.trade.owner));
  return (
    <div class="sign">
      {view.judged !== null && <What judged={view.judged} ruling={ruling} now={now} />}
      <Section title={words.own} hint={words.ownHint}>
        <p class="buttons">
          <button type="button" onClick={() => saveFile(`${link.jobId}-${link.version}.json`, text)}>
            {words.saveDocument}
          </button>
          <a href="/verify.html" download="verify.html">
            {words.verifier}
          </a>
        </p>
      </Section>
      <Wallets chainId={link.chainId} account={by?.account ?? null} connect={connect} />
      <div class="judgement">
        <Section title={words.judgement}>
          {by === null || ruling.signer !== by.signer ? (
            <p>{words.connectToJudge}</p>
          ) : (
            <Judgement ruling={ruling} by={by} link={link} now={now} />
          )}
        </Section>
      </div>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.whole}</summary>
        {isOpen && <Report view={view} judged={view.judged} stored={null} />}
      </details>
    </div>
  );
}

interface WhatProps extends Pick<TradeProps, "now"> {
  readonly judged: JudgedView;
  readonly ruling: Ruling;
}

/** Beside what did not pass and the reader's own limits. */
const TOLD = ["premium", "impact", "reference-age"];

function What({ judged, ruling: { signed, view }, now }: WhatProps) {
  const { trade, policy, event } = judged;
  const told = judged.findings.filter(
    ({ outcome, check }) => outcome !== "pass" || TOLD.includes(check) || check.startsWith("limit-"),
  );
  const { paid, got } = symbolsOf(trade);
  const least = trade.minAmountOut === null ? names.notKnown : `${grouped(trade.minAmountOut)} ${got}`;
  return (
    <Section title={words.title}>
      {/* What is allowed is said below, once the guard's own signer vouches for it. */}
      <p class="sentence">{tradeSentence(trade)}</p>
      <Rows
        of={[
          [names.pays, `${grouped(trade.amountIn)} ${paid}`],
          [names.getsAtLeast, least],
          [names.slippage, `${trade.maxSlippageBps} bps`],
          [names.owner, <code>{trade.owner}</code>],
          [names.recipient, trade.recipient === trade.owner ? words.toOwner : <Other of={trade.recipient} />],
          signed !== null && [words.ends, <Countdown seconds={signed.endsAt} now={now} />],
          signed !== null && [words.route, <code>{signed.intent.route}</code>],
          [names.stock, named(`${trade.symbol} (${trade.underlying})`, trade.stockAddress)],
          [names.settlement, named(trade.settlementSymbol, trade.settlementAddress)],
          [names.policy, `${policy.policyId} ${policy.version}`],
          [names.guard, named(`${names.chain} ${event.chainId}`, event.guard)],
        ]}
      />
      <Findings findings={told} isVouched={view.verdict === "VALID"} />
    </Section>
  );
}

const Other = ({ of }: { of: string }) => (
  <>
    <code>{of}</code> <strong class="warned">{words.toOther}</strong>
  </>
);

function Countdown({ seconds, now }: { seconds: number } & Pick<TradeProps, "now">) {
  const left = useSecondsLeft(seconds, now);
  const text = `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, "0")} s`;
  return (
    <span class="amount">
      {left < 0 ? <strong class="warned">{words.over}</strong> : filled(words.left, { left: text })} (
      <Moment seconds={seconds} />)
    </span>
  );
}

/** Negative: it is over. @param until unix seconds */
function useSecondsLeft(until: number, now: TradeProps["now"]): number {
  const [left, setLeft] = useState(() => until - Math.floor(now() / 1_000));
  useEffect(() => {
    const timer = setInterval(() => setLeft(until - Math.floor(now() / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  return left;
}

interface JudgementProps extends Pick<TradeProps, "link" | "now"> {
  readonly ruling: Ruling;
  readonly by: Signer;
}

function Judgement({ ruling, by, link, now }: JudgementProps) {
  const { verdict, judged } = ruling.view;
  const { signed, mayBeSigned } = ruling;
  const isValid = verdict === "VALID";
  return (
    <>
      <VerdictBox view={ruling.view} say={inCommand}>
        {isValid && <p>{filled(words.by, { signer: by.signer, guard: link.guard })}</p>}
      </VerdictBox>
      {judged !== null && signed !== null && mayBeSigned ? (
        <TradeSteps by={by} link={link} trade={signed} view={judged.trade} now={now} />
      ) : (
        <p class="fault">{isValid ? words.notLinked : words.refused}</p>
      )}
    </>
  );
}
