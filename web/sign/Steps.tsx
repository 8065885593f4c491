/** Buttons of the page `/sign`, of which one acts at a time, and what became of it. */
import { useState } from "preact/hooks";
import words from "../words/sign.json" with { type: "json" };
import { faultText } from "./faults.ts";

interface StepsProps<By> {
  /** What each step needs; null: a wallet has to be connected first. */
  readonly by: By | null;
  readonly of: readonly (readonly [label: string, act: (by: By) => unknown])[];
  readonly isStrong?: boolean;
  /** What is said meanwhile. */
  readonly busy?: string;
}

export function Steps<By>({ by, of, isStrong = false, busy = words.asking }: StepsProps<By>) {
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
        {by === null && <span class="soft">{words.connectFirst}</span>}
      </p>
      <div aria-live="polite">
        {isBusy && <p class="soft">{busy}</p>}
        {fault !== "" && <p class="fault">{fault}</p>}
      </div>
    </>
  );
}
