/** A mandate that there is: what is left of it, and its end. */
import { useState } from "preact/hooks";
import { MandateName } from "../../attestor/intent.ts";
import { leftFor } from "../../attestor/mandates/mandate.ts";
import { filled } from "../../attestor/view/language.ts";
import { type Connected, type Standing, standing, type Terms } from "./onChain.ts";
import { amountText, expiryText, Lines, mandateLines, Row, Said, signWords, useStep } from "./Parts.tsx";
import { planRevoke } from "./plans.ts";
import { type Plan, Review } from "./Review.tsx";
import { SignFault } from "./signFault.ts";

export interface ExistingProps {
  readonly terms: Terms;
  readonly connected: Connected | null;
  readonly shown: Standing | null;
  onShown(standing: Standing): void;
  /** Unix milliseconds. */
  now(): number;
}

export function Existing({ terms, connected, shown, onShown, now }: ExistingProps) {
  const words = signWords();
  const step = useStep();
  const [name, setName] = useState({ safe: "", agent: "" });
  const look = ({ wallet }: Connected) =>
    step.run(async () => {
      const { data } = MandateName.safeParse({ safe: name.safe.trim(), agent: name.agent.trim() });
      if (data === undefined) throw new SignFault("noAddress");
      onShown(await standing(wallet, terms, data));
    });
  return (
    <section class="part">
      <h2>{words.existing}</h2>
      <div class="grid">
        {(["safe", "agent"] as const).map((field) => (
          <label key={field}>
            <span>{words.fields[field]}</span>
            <input
              data-address
              autocomplete="off"
              spellcheck={false}
              value={name[field]}
              onInput={(event) => setName({ ...name, [field]: event.currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <p class="buttons">
        <button
          type="button"
          disabled={connected === null || step.isBusy}
          onClick={() => connected && void look(connected)}
        >
          {words.look}
        </button>
        {connected === null && <span class="soft">{words.connectFirst}</span>}
      </p>
      <Said {...step} busy={words.asking} />
      {connected !== null && shown !== null && (
        <Found key={`${shown.safe} ${shown.agent}`} {...{ terms, connected, onShown, now }} found={shown} />
      )}
    </section>
  );
}

type FoundProps = Omit<ExistingProps, "connected" | "shown"> & {
  readonly connected: Connected;
  readonly found: Standing;
};

function Found({ terms, connected, found, onShown, now }: FoundProps) {
  const words = signWords();
  const step = useStep();
  const [reviewed, setReviewed] = useState<{ plan: Plan; by: Connected } | null>(null);
  const { safe, agent, mandate } = found;
  const revoked = async (by: Connected) => {
    const after = await standing(by.wallet, terms, found);
    onShown(after);
    if (after.mandate !== null) throw new SignFault("otherMandate");
    setReviewed(null);
  };
  return (
    <section class="review" aria-label={words.mandateOf}>
      <h3>{words.mandateOf}</h3>
      <dl class="rows">
        <Row name={words.fields.safe}>
          <code>{safe}</code>
        </Row>
        <Row name={words.fields.agent}>
          <code>{agent}</code>
        </Row>
        {mandate !== null && <Left terms={terms} found={{ ...found, mandate }} />}
      </dl>
      {mandate === null && <p class="state">{words.none}</p>}
      {mandate !== null && reviewed === null && (
        <>
          <Lines of={mandateLines(terms, agent, mandate)} />
          <p class="soft">{filled(words.fund, { safe })}</p>
          <p class="buttons">
            <button
              type="button"
              disabled={step.isBusy}
              onClick={() =>
                void step.run(async () =>
                  setReviewed({ by: connected, plan: await planRevoke(connected, terms, found) }),
                )
              }
            >
              {words.revoke}
            </button>
          </p>
          <Said {...step} busy={words.asking} />
        </>
      )}
      {reviewed !== null && (
        <Review
          plan={reviewed.plan}
          terms={terms}
          connected={reviewed.by}
          now={now}
          onDone={() => revoked(reviewed.by)}
          onBack={() => setReviewed(null)}
        />
      )}
    </section>
  );
}

function Left({
  terms,
  found,
}: {
  terms: Terms;
  found: Standing & { mandate: NonNullable<Standing["mandate"]> };
}) {
  const words = signWords();
  const { mandate, spent, isExpired } = found;
  const { settlementToken, budget, expiresAt } = mandate;
  return (
    <>
      <Row name={words.state}>
        {filled(isExpired ? words.expired : words.active, { until: expiryText(expiresAt) })}
      </Row>
      <Row name={words.leftNow}>{amountText(terms, settlementToken, leftFor(mandate, String(spent)))}</Row>
      <Row name={words.spentToday}>{amountText(terms, settlementToken, spent)}</Row>
      <Row name={words.leftInAll}>{amountText(terms, settlementToken, budget)}</Row>
    </>
  );
}
