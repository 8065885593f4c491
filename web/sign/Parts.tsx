/** Pieces of the page `/sign`: a mandate in words, the exact call, and what became of a step. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PlainCall } from "../../attestor/mandates/calls.ts";
import { ZERO_ADDRESS } from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { moment } from "../format/time.ts";
import { pageLanguage } from "../words.ts";
import { tokenOf } from "./fields.ts";
import type { Terms } from "./onChain.ts";
import { SignFault } from "./signFault.ts";
import WORDS from "./words.json" with { type: "json" };

export const signWords = () => WORDS[pageLanguage()];

/** One step at a time, and what is said of it. */
export function useStep() {
  const [step, setStep] = useState({ isBusy: false, fault: "" });
  const run = async (act: () => Promise<unknown>) => {
    setStep({ isBusy: true, fault: "" });
    try {
      await act();
      setStep({ isBusy: false, fault: "" });
    } catch (error) {
      const fault = error instanceof SignFault ? error.message : signWords().faults.unexpected;
      setStep({ isBusy: false, fault });
    }
  };
  return { ...step, run };
}

export function Said({ isBusy, fault, busy }: { isBusy: boolean; fault: string; busy: string }) {
  return (
    <div aria-live="polite">
      {isBusy && <p class="soft">{busy}</p>}
      {fault !== "" && <p class="fault">{fault}</p>}
    </div>
  );
}

/** `250 USDL`; raw units of a token that the service does not list. @param raw of the token */
export function amountText(terms: Terms, token: string, raw: string | bigint): string {
  const known = tokenOf(terms, token);
  if (known === undefined) return filled(signWords().rawOf, { raw: String(raw), token });
  return `${grouped(wholeUnits(raw, known.decimals))} ${known.symbol}`;
}

const symbolOf = (terms: Terms, token: string) => tokenOf(terms, token)?.symbol ?? token;

/** A mandate in words. */
export function mandateLines(terms: Terms, agent: string, mandate: Mandate): string[] {
  const words = signWords().mandate;
  const amount = (raw: string) => amountText(terms, mandate.settlementToken, raw);
  const sold = mandate.stocks.filter(({ sellable }) => sellable !== "0");
  const policyName = (hash: string) => terms.policies.find((policy) => policy.hash === hash)?.name ?? hash;
  return [
    filled(words.agent, { agent, until: expiryText(mandate.expiresAt) }),
    filled(words.buys, {
      stocks: mandate.stocks.map(({ token }) => symbolOf(terms, token)).join(", "),
      token: symbolOf(terms, mandate.settlementToken),
    }),
    sold.length === 0
      ? words.noSells
      : filled(words.sells, {
          stocks: sold.map(({ token, sellable }) => amountText(terms, token, sellable)).join(", "),
        }),
    filled(words.caps, {
      perTrade: amount(mandate.perTrade),
      perDay: amount(mandate.perDay),
      budget: amount(mandate.budget),
    }),
    filled(words.policies, { policies: mandate.policies.map(policyName).join(", ") }),
    mandate.revoker === ZERO_ADDRESS ? words.noRevoker : filled(words.revoker, { revoker: mandate.revoker }),
  ];
}

export const expiryText = (seconds: number) =>
  moment(new Date(seconds * 1_000).toISOString(), document.documentElement.lang);

export function Lines({ of }: { of: readonly string[] }) {
  return (
    <ul class="lines">
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** The call as the wallet is given it. */
export function CallDetails({ call }: { call: PlainCall }) {
  const words = signWords();
  return (
    <details class="call">
      <summary>{words.call}</summary>
      <dl class="rows">
        <Row name="to">
          <code>{call.to}</code>
        </Row>
        <Row name="value">0</Row>
        <Row name="data">
          <code>{call.data}</code>
        </Row>
      </dl>
    </details>
  );
}

export function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
