/** What the reader's wallet may do with a trade that is VALID: approve and send it, or sign it for a relay. */
import { useEffect, useState } from "preact/hooks";
import { approveCallData } from "../../attestor/certificate/guardCall.ts";
import type { PlainCall } from "../../attestor/evm/reads.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import type { JudgedView } from "../../attestor/view/reportView.ts";
import { saveFile } from "../browser.ts";
import { sendCall } from "./onChain.ts";
import { CallRows, Steps } from "./Parts.tsx";
import {
  allowanceNow,
  checkGuard,
  executeCall,
  follow,
  type SignedTrade,
  type Signer,
  signedCall,
  type TradeLink,
  type TradeState,
} from "./trade.ts";
import { tradeWords } from "./tradeWords.ts";
import { faultText, SignFault } from "./words.ts";

interface TradeStepsProps {
  readonly by: Signer;
  readonly link: TradeLink;
  readonly trade: SignedTrade;
  readonly view: JudgedView["trade"];
  /** Unix milliseconds. */
  now(): number;
}

interface Sent {
  readonly hash: string;
  readonly state: TradeState | "unknown";
}

export function TradeSteps({ by, link, trade, view, now }: TradeStepsProps) {
  const words = tradeWords();
  const { intent, endsAt } = trade;
  const [allowance, setAllowance] = useState<bigint | null>(null);
  const [fault, setFault] = useState("");
  const [sent, setSent] = useState<Sent | null>(null);
  const [relayed, setRelayed] = useState<PlainCall | null>(null);
  const look = async () => setAllowance(await allowanceNow(by, link, trade));
  useEffect(() => {
    look().catch((error: unknown) => setFault(faultText(error)));
  }, []);
  const check = async () => {
    if (now() / 1_000 > endsAt) throw new SignFault("tradeOver");
    await checkGuard(by, link);
  };
  const approve = async () => {
    const data = approveCallData(link.guard, intent.amountIn);
    const { hash, isDone } = await sendCall(by, check, { to: intent.inputToken, data });
    if (!isDone) throw new SignFault("reverted", { hash });
    await look();
  };
  const onSent = (hash: string) => {
    setSent({ hash, state: "unknown" });
    void follow(link, hash, (state) => setSent({ hash, state }));
  };
  const send = () => sendCall(by, check, executeCall(link, trade), onSent);
  const sign = async () => {
    await check();
    setRelayed(await signedCall(by, link, trade));
  };
  if (by.account !== intent.owner)
    return <p class="fault">{filled(words.wrongAccount, { owner: intent.owner })}</p>;
  if (fault !== "") return <p class="fault">{fault}</p>;
  if (sent !== null)
    return (
      <p role="status">
        {words.sent} <code>{sent.hash}</code>: <strong>{words.states[sent.state]}</strong>
      </p>
    );
  const isShort = allowance !== null && allowance < BigInt(intent.amountIn);
  const paid = view.side === "buy" ? view.settlementSymbol : view.symbol;
  const amount = `${grouped(view.amountIn)} ${paid}`;
  return (
    <>
      <p class="soft">{isShort ? words.approveHint : words.relayHint}</p>
      <Steps
        by={allowance === null ? null : by}
        isStrong
        busy={words.waiting}
        of={
          isShort
            ? [[filled(words.approve, { amount }), approve]]
            : [
                [words.send, send],
                [words.relay, sign],
              ]
        }
      />
      {relayed !== null && <Relayed call={relayed} link={link} />}
    </>
  );
}

function Relayed({ call, link }: { call: PlainCall } & Pick<TradeStepsProps, "link">) {
  const words = tradeWords();
  const { chainId, jobId, version } = link;
  const file = JSON.stringify({ chainId, to: call.to, value: "0", data: call.data }, null, 2);
  return (
    <section class="review" aria-label={words.relay}>
      <p>{words.signed}</p>
      <div class="call">
        <CallRows {...call} />
      </div>
      <p class="buttons">
        {/* Without TLS a browser has none. */}
        {"clipboard" in navigator && (
          <button type="button" onClick={() => void navigator.clipboard.writeText(call.data)}>
            {words.copy}
          </button>
        )}
        <button type="button" onClick={() => saveFile(`relay-${jobId}-${version}.json`, file)}>
          {words.saveCall}
        </button>
      </p>
    </section>
  );
}
