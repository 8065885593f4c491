/** What the reader's wallet may do with a trade that is VALID: approve and send it. */
import { useEffect, useState } from "preact/hooks";
import { grouped } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import type { JudgedView } from "../../attestor/view/reportView.ts";
import SIGN_WORDS from "../words/sign.json" with { type: "json" };
import { faultText, SignFault } from "./faults.ts";
import { sendCall } from "./onChain.ts";
import { Steps } from "./Steps.tsx";
import {
  allowanceNow,
  approvalCallsOf,
  checkGuard,
  executeCall,
  follow,
  type SignedTrade,
  type Signer,
  type TradeLink,
  type TradeState,
} from "./trade.ts";

const words = SIGN_WORDS.trade;

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
  const { intent, endsAt } = trade;
  const [allowance, setAllowance] = useState<bigint | null>(null);
  const [fault, setFault] = useState("");
  const [sent, setSent] = useState<Sent | null>(null);
  const look = async () => setAllowance(await allowanceNow(by, link, trade));
  useEffect(() => {
    look().catch((error: unknown) => setFault(faultText(error)));
  }, []);
  const check = async () => {
    if (now() / 1_000 > endsAt) throw new SignFault("tradeOver");
    await checkGuard(by, link);
  };
  const approve = async () => {
    for (const call of approvalCallsOf(link, trade, allowance ?? 0n)) {
      const { hash, isDone } = await sendCall(by, check, call);
      if (!isDone) throw new SignFault("reverted", { hash });
    }
    await look();
  };
  const onSent = (hash: string) => {
    setSent({ hash, state: "unknown" });
    void follow(link, hash, (state) => setSent({ hash, state }));
  };
  const send = () => sendCall(by, check, executeCall(link, trade), onSent);
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
      {isShort && <p class="soft">{words.approveHint}</p>}
      <Steps
        by={allowance === null ? null : by}
        isStrong
        busy={words.waiting}
        of={[isShort ? [filled(words.approve, { amount }), approve] : [words.send, send]]}
      />
    </>
  );
}
