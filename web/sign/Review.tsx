/** What is about to happen, in words and as the exact call, and the button that has the wallet confirm it. */
import { type SafeTransaction, safeFileOf } from "../../attestor/evm/safeFile.ts";
import type { PlainCall } from "../../attestor/mandates/calls.ts";
import { filled } from "../../attestor/view/language.ts";
import { saveFile } from "../browser.ts";
import { type Connected, sendCall, type Terms } from "./onChain.ts";
import { CallDetails, Lines, Said, signWords, useStep } from "./Parts.tsx";

/** Either the call of the connected account, or what the owners of a Safe sign elsewhere. */
export interface Plan {
  readonly lines: readonly string[];
  readonly safe: string;
  readonly call: PlainCall | null;
  readonly transactions: readonly SafeTransaction[];
  readonly fileName: string;
}

export interface ReviewProps {
  readonly plan: Plan;
  readonly terms: Terms;
  readonly connected: Connected;
  /** Unix milliseconds. */
  now(): number;
  /** After the call was mined. */
  onDone(): Promise<void>;
  onBack(): void;
}

export function Review({ plan, terms, connected, now, onDone, onBack }: ReviewProps) {
  const words = signWords();
  const step = useStep();
  const { call, safe, transactions, fileName } = plan;
  const save = () => {
    const file = safeFileOf({
      chainId: terms.chainId,
      safe,
      transactions,
      name: fileName,
      description: plan.lines.join(" "),
      now: now(),
    });
    saveFile(`${fileName}.json`, JSON.stringify(file, null, 2));
  };
  return (
    <section class="review" aria-label={words.review}>
      <h3>{words.review}</h3>
      <Lines of={plan.lines} />
      {call === null ? <p>{words.severalOwners}</p> : <CallDetails call={call} />}
      <p class="buttons">
        {call === null ? (
          <button type="button" class="strong" onClick={save}>
            {words.saveFile}
          </button>
        ) : (
          <button
            type="button"
            class="strong"
            disabled={step.isBusy}
            onClick={() =>
              void step.run(async () => {
                await sendCall(connected, terms, call);
                await onDone();
              })
            }
          >
            {filled(words.confirm, { wallet: connected.wallet.name })}
          </button>
        )}
        <button type="button" disabled={step.isBusy} onClick={onBack}>
          {words.back}
        </button>
      </p>
      <Said {...step} busy={words.waiting} />
    </section>
  );
}
