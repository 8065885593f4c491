/** What the reader's wallet may do with a trade that is VALID: approve and send it. */
import { useEffect, useState } from "preact/hooks";
import { approvalCalls } from "../../attestor/certificate/execution.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import type { JudgedView } from "../../attestor/view/reportView.ts";
import { symbolsOf } from "../report/Report.tsx";
import { faultText, SignFault } from "./faults.ts";
import {
  allowanceNow,
  checkGuard,
  executeCall,
  follow,
  type SignedTrade,
  type Signer,
  type TradeLink,
  type TradeState,
} from "./trade.ts";
import { Acts } from "./Wallets.tsx";
import { sendCall } from "./wallet.ts";

const STATES: Readonly<Record<TradeState, string>> = {
  submitted: "sent, not confirmed yet",
  confirmed: "confirmed: the trade was carried out",
  reverted: "reverted: nothing was traded",
  mismatched: "mined, but not as this trade",
  dropped: "not found on the chain",
  unknown: "the service has not answered yet; see your wallet",
};

interface TradeStepsProps {
  readonly by: Signer;
  readonly link: TradeLink;
  readonly trade: SignedTrade;
  readonly view: JudgedView["trade"];
  /** Unix milliseconds. */
  now(): number;
}

export function TradeSteps({ by, link, trade, view, now }: TradeStepsProps) {
  const { intent, endsAt } = trade;
  const { wallet, account } = by;
  const [allowance, setAllowance] = useState<bigint | null>(null);
  const [fault, setFault] = useState("");
  const [sent, setSent] = useState<{ readonly hash: string; readonly state: TradeState } | null>(null);
  const readAllowance = async () => setAllowance(await allowanceNow(by, link, trade));
  useEffect(() => {
    readAllowance().catch((error: unknown) => setFault(faultText(error)));
  }, []);
  const check = async () => {
    if (now() / 1_000 > endsAt) throw new SignFault("tradeOver");
    await checkGuard(by, link);
  };
  const approve = async () => {
    for (const call of approvalCalls(intent, link.guard, String(allowance))) {
      await check();
      await sendCall(wallet, account, call);
    }
    await readAllowance();
  };
  const onSent = (hash: string) => {
    setSent({ hash, state: "unknown" });
    void follow(link, hash, (state) => setSent({ hash, state }));
  };
  const send = async () => {
    await check();
    await sendCall(wallet, account, executeCall(link, trade), onSent);
  };
  if (account !== intent.owner)
    return <p class="fault">{faultText(new SignFault("wrongAccount", { owner: intent.owner }))}</p>;
  if (fault !== "") return <p class="fault">{fault}</p>;
  if (sent !== null)
    return (
      <p role="status">
        Transaction <code>{sent.hash}</code>: <strong>{STATES[sent.state]}</strong>
      </p>
    );
  const isShort = allowance !== null && allowance < BigInt(intent.amountIn);
  const approveLabel = `Approve exactly ${grouped(view.amountIn)} ${symbolsOf(view).paid}`;
  return (
    <>
      {isShort ? (
        <p class="soft">
          The guard may not take the amount yet. The approval is for this amount and no more.
        </p>
      ) : null}
      <Acts
        isReady={allowance !== null}
        isStrong
        busy="Confirm in your wallet …"
        acts={[isShort ? { label: approveLabel, do: approve } : { label: "Send the trade", do: send }]}
      />
    </>
  );
}
