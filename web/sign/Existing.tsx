/** A mandate that there is: what is left of it, and its end. */
import { useState } from "preact/hooks";
import { MandateName } from "../../attestor/intent.ts";
import { leftFor, type Mandate } from "../../attestor/mandates/mandate.ts";
import { filled } from "../../attestor/view/language.ts";
import { Rows, Section } from "../pieces.tsx";
import { type Connected, type Standing, standing } from "./onChain.ts";
import { amountText, expiryText, LineField, Lines, mandateLines, Steps } from "./Parts.tsx";
import { type Plan, planRevoke } from "./plans.ts";
import { type PageProps, Review } from "./Review.tsx";
import { SignFault, signWords } from "./words.ts";

export function Existing({ shown, ...page }: PageProps & { readonly shown: Standing | null }) {
  const words = signWords();
  const { terms, connected, onStands } = page;
  const [name, setName] = useState({ safe: "", agent: "" });
  const look = async ({ wallet }: Connected) => {
    const { data } = MandateName.safeParse({ safe: name.safe.trim(), agent: name.agent.trim() });
    if (data === undefined) throw new SignFault("noAddress");
    onStands(await standing(wallet, terms, data));
  };
  return (
    <Section title={words.existing}>
      <div class="grid">
        {(["safe", "agent"] as const).map((field) => (
          <LineField
            key={field}
            name={field}
            of={name}
            onChange={(change) => setName({ ...name, ...change })}
          />
        ))}
      </div>
      <Steps by={connected} of={[[words.look, look]]} />
      {connected !== null && shown !== null && (
        <Found key={`${shown.safe} ${shown.agent}`} {...page} found={shown} />
      )}
    </Section>
  );
}

function Found({ found, ...page }: PageProps & { readonly found: Standing }) {
  const words = signWords();
  const { terms, connected } = page;
  const { safe, agent, mandate } = found;
  const [plan, setPlan] = useState<Plan | null>(null);
  return (
    <section class="review" aria-label={words.mandateOf}>
      <h3>{words.mandateOf}</h3>
      <Rows
        of={[
          [words.fields.safe, <code>{safe}</code>],
          [words.fields.agent, <code>{agent}</code>],
          ...(mandate === null ? [] : leftRows(page, found, mandate)),
        ]}
      />
      {mandate === null && <p class="state">{words.none}</p>}
      {mandate !== null && plan === null && (
        <>
          <Lines of={mandateLines(terms, agent, mandate)} />
          <p class="soft">{filled(words.fund, { safe })}</p>
          <Steps
            by={connected}
            of={[[words.revoke, async (by) => setPlan(await planRevoke(by, terms, found))]]}
          />
        </>
      )}
      {plan !== null && <Review {...page} plan={plan} onClose={() => setPlan(null)} />}
    </section>
  );
}

function leftRows({ terms }: PageProps, { spent, isExpired }: Standing, mandate: Mandate) {
  const words = signWords();
  const { settlementToken, budget, expiresAt } = mandate;
  const amount = (raw: string | bigint) => amountText(terms, settlementToken, raw);
  return [
    [words.state, filled(isExpired ? words.expired : words.active, { until: expiryText(expiresAt) })],
    [words.leftNow, amount(leftFor(mandate, String(spent)))],
    [words.spentToday, amount(spent)],
    [words.leftInAll, amount(budget)],
  ] as const;
}
