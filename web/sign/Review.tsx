/** What is about to happen, in words and as the exact call, and the button that has the wallet confirm it. */
import { safeFileOf } from "../../attestor/evm/safeFile.ts";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { filled } from "../../attestor/view/language.ts";
import { saveFile } from "../browser.ts";
import { type Connected, checkContracts, type Standing, sendCall, standing, type Terms } from "./onChain.ts";
import { CallRows, Lines, Steps } from "./Parts.tsx";
import type { Plan } from "./plans.ts";
import { SignFault, signWords } from "./words.ts";

/** What the parts of the page share. */
export interface PageProps {
  readonly terms: Terms;
  /** Unix milliseconds. */
  now(): number;
  readonly connected: Connected | null;
  onStands(standing: Standing): void;
}

type ReviewProps = Omit<PageProps, "connected"> & { readonly plan: Plan; onClose(): void };

export function Review({ plan, terms, now, onStands, onClose }: ReviewProps) {
  const words = signWords();
  const { by, call, safe, transactions, fileName, lines } = plan;
  const save = () => {
    const { chainId } = terms;
    const description = lines.join(" ");
    const file = safeFileOf({ chainId, safe, transactions, name: fileName, description, now: now() });
    saveFile(`${fileName}.json`, JSON.stringify(file, null, 2));
  };
  const confirm = async (call: NonNullable<Plan["call"]>) => {
    const { hash, isDone } = await sendCall(by, () => checkContracts(by.wallet, terms), call);
    // The chain's state decides, even after a failed transaction: anybody can have sent the same before.
    const found = await standing(by.wallet, terms, plan);
    onStands(found);
    const isWanted = canonicalHash(found.mandate) === canonicalHash(plan.wanted);
    if (!isDone) throw new SignFault(isWanted ? "sentByOthers" : "reverted", { hash });
    if (!isWanted) throw new SignFault("otherMandate");
    onClose();
  };
  return (
    <section class="review" aria-label={words.review}>
      <h3>{words.review}</h3>
      <Lines of={lines} />
      {call === null ? (
        <p>{words.severalOwners}</p>
      ) : (
        <details class="call">
          <summary>{words.call}</summary>
          <CallRows {...call} />
        </details>
      )}
      <Steps
        by={plan}
        isStrong
        busy={words.waiting}
        of={[
          call === null
            ? [words.saveFile, save]
            : [filled(words.confirm, { wallet: by.wallet.name }), () => confirm(call)],
          [words.back, onClose],
        ]}
      />
    </section>
  );
}
