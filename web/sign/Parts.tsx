/** Pieces of the page `/sign`: a line of a form, steps, and a mandate in words. */
import { useState } from "preact/hooks";
import { type PlainCall, ZERO_ADDRESS } from "../../attestor/mandates/calls.ts";
import type { Mandate } from "../../attestor/mandates/mandate.ts";
import { wholeUnits } from "../../attestor/values/wholeUnits.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import { filled } from "../../attestor/view/language.ts";
import { bothTimes } from "../../attestor/view/times.ts";
import { Rows } from "../pieces.tsx";
import { pageLanguage } from "../words.ts";
import type { Line } from "./fields.ts";
import { type Terms, tokenOf } from "./onChain.ts";
import { faultText, signWords } from "./words.ts";

interface LineProps<Name extends Line> {
  readonly name: Name;
  readonly of: Readonly<Record<Name, string>>;
  /** Names of fields that are wrong. */
  readonly faults?: readonly string[];
  onChange(change: { readonly [name in Name]?: string }): void;
}

export function LineField<Name extends Line>({ name, of, faults = [], onChange }: LineProps<Name>) {
  return (
    <label>
      <span>{signWords().fields[name]}</span>
      <input
        {...(name === "expiresAt" ? { type: "datetime-local" as const } : { type: "text" as const })}
        data-address={["safe", "agent", "revoker"].includes(name) || undefined}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={faults.includes(name)}
        value={of[name]}
        onInput={(event) => onChange({ [name]: event.currentTarget.value } as { [name in Name]: string })}
      />
    </label>
  );
}

interface StepsProps<By> {
  /** What each step needs; null: a wallet has to be connected first. */
  readonly by: By | null;
  readonly of: readonly (readonly [label: string, act: (by: By) => unknown])[];
  readonly isStrong?: boolean;
  /** What is said meanwhile. */
  readonly busy?: string;
}

/** Buttons, of which one acts at a time, and what became of it. */
export function Steps<By>({ by, of, isStrong = false, busy = signWords().asking }: StepsProps<By>) {
  const [{ isBusy, fault }, setStep] = useState({ isBusy: false, fault: "" });
  const run = async (act: () => unknown) => {
    setStep({ isBusy: true, fault: "" });
    try {
      await act();
      setStep({ isBusy: false, fault: "" });
    } catch (error) {
      setStep({ isBusy: false, fault: faultText(error) });
    }
  };
  return (
    <>
      <p class="buttons">
        {of.map(([label, act], index) => (
          <button
            key={index}
            type="button"
            class={isStrong && index === 0 ? "strong" : ""}
            disabled={by === null || isBusy}
            onClick={() => by !== null && void run(() => act(by))}
          >
            {label}
          </button>
        ))}
        {by === null && <span class="soft">{signWords().connectFirst}</span>}
      </p>
      <div aria-live="polite">
        {isBusy && <p class="soft">{busy}</p>}
        {fault !== "" && <p class="fault">{fault}</p>}
      </div>
    </>
  );
}

/** `250 USDL`; raw units of a token that the service does not list. @param raw of the token */
export function amountText(terms: Terms, token: string, raw: string | bigint): string {
  const known = tokenOf(terms, token);
  if (known === undefined) return filled(signWords().rawOf, { raw: String(raw), token });
  return `${grouped(wholeUnits(raw, known.decimals))} ${known.symbol}`;
}

export function mandateLines(terms: Terms, agent: string, mandate: Mandate): string[] {
  const words = signWords().mandate;
  const { settlementToken, perTrade, perDay, budget, revoker } = mandate;
  const symbolOf = (token: string) => tokenOf(terms, token)?.symbol ?? token;
  const amount = (raw: string, token = settlementToken) => amountText(terms, token, raw);
  // Of a token that is named twice the module knows the first entry.
  const stocks = mandate.stocks.filter(
    ({ token }, index, all) => all.findIndex((other) => other.token === token) === index,
  );
  const sold = stocks.filter(({ sellable }) => sellable !== "0");
  const sells = sold.map(({ token, sellable }) => amount(sellable, token)).join(", ");
  const policies = mandate.policies.map(
    (hash) => terms.policies.find((policy) => policy.hash === hash)?.name ?? hash,
  );
  return [
    filled(words.agent, { agent, until: expiryText(mandate.expiresAt) }),
    filled(words.buys, {
      stocks: stocks.map(({ token }) => symbolOf(token)).join(", "),
      token: symbolOf(settlementToken),
    }),
    sold.length === 0 ? words.noSells : filled(words.sells, { stocks: sells }),
    filled(words.caps, { perTrade: amount(perTrade), perDay: amount(perDay), budget: amount(budget) }),
    filled(words.policies, { policies: policies.join(", ") }),
    revoker === ZERO_ADDRESS ? words.noRevoker : filled(words.revoker, { revoker }),
  ];
}

export const expiryText = (seconds: number) => bothTimes(seconds * 1_000, pageLanguage());

export function Lines({ of }: { of: readonly string[] }) {
  return (
    <ul class="lines">
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** A call as the wallet is given it. */
export const CallRows = ({ to, data }: PlainCall) => (
  <Rows
    of={[
      ["to", <code>{to}</code>],
      ["value", "0"],
      ["data", <code>{data}</code>],
    ]}
  />
);
