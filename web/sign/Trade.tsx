/** /sign: one prepared trade in words, as judged in this browser, and what the reader's wallet may do with it. */
import { useEffect, useState } from "preact/hooks";
import type { JudgedView } from "../../attestor/view/reportView.ts";
import { tradeSentence } from "../../attestor/view/words.ts";
import { saveFile } from "../browser.ts";
import { Folded, Moment, named, type Row, Rows, Section } from "../parts.tsx";
import { Findings } from "../report/Findings.tsx";
import type { Judge } from "../report/judge.ts";
import { Report, tradeRows } from "../report/Report.tsx";
import { VerdictBox } from "../report/Verdict.tsx";
import { faultText } from "./faults.ts";
import { TradeSteps } from "./TradeSteps.tsx";
import { connectFor, fetchTrade, type Ruling, rulingOn, type Signer, type TradeLink } from "./trade.ts";
import { Wallets } from "./Wallets.tsx";

interface TradeProps {
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
  if (text === null || ruling === null)
    return <p class="soft">Fetching the trade and judging it in this browser …</p>;
  const { judged } = ruling.view;
  const connect = async (wallet: Signer["wallet"]) =>
    setBy(await connectFor(wallet, link, judged?.trade.owner));
  return (
    <div class="sign">
      {judged === null ? null : <TradeInWords judged={judged} ruling={ruling} now={now} />}
      <Section
        title="Check it elsewhere"
        hint="The code of this page is the service's own. To check the trade without trusting it, save the document and open it in the verifier, a file that you can have from elsewhere."
      >
        <p class="buttons">
          <button type="button" onClick={() => saveFile(`${link.jobId}-${link.version}.json`, text)}>
            Save the document
          </button>
          <a href="/verify.html" download="verify.html">
            Get the verifier
          </a>
        </p>
      </Section>
      <Wallets chainId={link.chainId} account={by?.account ?? null} connect={connect} />
      <div class="judgement">
        <Section title="Judgement">
          {by === null || ruling.signer !== by.signer ? (
            <p>
              This browser has judged the evidence again. Connect your wallet: through it this page reads
              which key the guard trusts, and only a trade that this key signed can be VALID.
            </p>
          ) : (
            <Judgement ruling={ruling} by={by} link={link} now={now} />
          )}
        </Section>
      </div>
      <Folded title="The whole report, as judged in this browser">
        <Report view={ruling.view} judged={judged} stored={null} />
      </Folded>
    </div>
  );
}

interface TradeInWordsProps extends Pick<TradeProps, "now"> {
  readonly judged: JudgedView;
  readonly ruling: Ruling;
}

/** Shown at once, beside what did not pass and the reader's own limits. */
const SHOWN_CHECKS = ["premium", "impact", "reference-age"];

function TradeInWords({ judged, ruling: { signed, view }, now }: TradeInWordsProps) {
  const { trade, event } = judged;
  const shown = judged.findings.filter(
    ({ outcome, check }) => outcome !== "pass" || SHOWN_CHECKS.includes(check) || check.startsWith("limit-"),
  );
  const isOwner = trade.recipient === trade.owner;
  const rows: Row[] = [["Recipient", isOwner ? "the owner" : <Stranger address={trade.recipient} />]];
  if (signed !== null)
    rows.push(
      ["Ends", <Countdown seconds={signed.endsAt} now={now} />],
      ["Exchange contract", <code>{signed.intent.route}</code>],
    );
  rows.push(["Guard", named(`chain ${event.chainId}`, event.guard)]);
  return (
    <Section title="One trade for your wallet">
      {/* What is allowed is said below, once the guard's own signer vouches for it. */}
      <p class="sentence">{tradeSentence(trade)}</p>
      <Rows of={[...tradeRows(judged), ...rows]} />
      <Findings findings={shown} isVouched={view.verdict === "VALID"} />
    </Section>
  );
}

const Stranger = ({ address }: { address: string }) => (
  <>
    <code>{address}</code>{" "}
    <strong class="warned">This is not the owner. The holder of this address gets what is bought.</strong>
  </>
);

/** @param seconds unix, when it is over */
function Countdown({ seconds, now }: { seconds: number } & Pick<TradeProps, "now">) {
  const leftNow = () => seconds - Math.floor(now() / 1_000);
  const [left, setLeft] = useState(leftNow);
  useEffect(() => {
    const timer = setInterval(() => setLeft(leftNow()), 1_000);
    return () => clearInterval(timer);
  }, [seconds]);
  return (
    <span class="number">
      {left < 0 ? (
        <strong class="warned">over</strong>
      ) : (
        `in ${Math.floor(left / 60)} min ${String(left % 60).padStart(2, "0")} s`
      )}{" "}
      (<Moment seconds={seconds} />)
    </span>
  );
}

interface JudgementProps extends Pick<TradeProps, "link" | "now"> {
  readonly ruling: Ruling;
  readonly by: Signer;
}

function Judgement({ ruling, by, link, now }: JudgementProps) {
  const { verdict, judged } = ruling.view;
  const { signed, mayBeSigned } = ruling;
  const isValid = verdict === "VALID";
  const refusal = isValid
    ? "The document is not the trade that the link names. This page asks your wallet for nothing."
    : "This page asks your wallet for nothing.";
  return (
    <>
      <VerdictBox view={ruling.view}>
        {isValid ? (
          <p>
            The guard {link.guard} names the key {by.signer} today, which signed this trade. Only the
            service's registry states that the token is this stock: compare the token's address with what you
            have from elsewhere.
          </p>
        ) : null}
      </VerdictBox>
      {judged !== null && signed !== null && mayBeSigned ? (
        <TradeSteps by={by} link={link} trade={signed} view={judged.trade} now={now} />
      ) : (
        <p class="fault">{refusal}</p>
      )}
    </>
  );
}
