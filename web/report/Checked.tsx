/** A document, what the reader trusts, and what came of judging the one by the other. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import { filled } from "../../attestor/view/language.ts";
import type { Judge } from "./judge.ts";
import type { Input, KnownText } from "./question.ts";
import { Report } from "./ReportView.tsx";
import { judgeWith, type Outcome, type Service } from "./service.ts";
import { TrustFields } from "./TrustFields.tsx";
import words from "./words.json" with { type: "json" };

export interface CheckedProps {
  readonly input: Input;
  readonly judge: Judge;
  /** Records that this program brings. */
  readonly known: readonly KnownText[];
  /** Where the page came from; null: from nowhere. */
  readonly service: Service | null;
  readonly executed?: Element | null;
  /** Called with the first outcome, before it is shown. */
  onFirst?(): void;
}

export function Checked({ input, judge, known, service, executed = null, onFirst }: CheckedProps) {
  const [reader, setReader] = useState<ReaderTexts>({});
  const [isServiceAsked, setServiceAsked] = useState(service !== null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(true);
  const runs = useRef(0);

  useEffect(() => {
    const run = ++runs.current;
    setBusy(true);
    const asked = isServiceAsked ? service : null;
    judgeWith(judge, { input, reader, known, service: asked }).then((next) => {
      if (run !== runs.current || next === null) return;
      if (outcome === null) onFirst?.();
      setOutcome(next);
      setBusy(false);
    });
  }, [input, reader, isServiceAsked]);

  const trust = (
    <div class="trust">
      {service === null ? null : (
        <label class="switch">
          <input
            type="checkbox"
            checked={isServiceAsked}
            onChange={(event) => setServiceAsked(event.currentTarget.checked)}
          />
          <span>{words.serviceSwitch}</span>
        </label>
      )}
      <TrustFields reader={reader} onChange={setReader} />
    </div>
  );
  return (
    <div class="checked" data-run={isBusy ? "busy" : runs.current} aria-busy={isBusy}>
      <p class="hidden" role="status">
        {isBusy ? words.checking : outcome?.answer.kind === "judged" ? outcome.answer.view.verdict : ""}
      </p>
      {isBusy && outcome === null ? <p class="soft waiting">{words.checking}</p> : null}
      {outcome === null ? null : <Told outcome={outcome} trust={trust} executed={executed} />}
    </div>
  );
}

interface ToldProps {
  readonly outcome: Outcome;
  /** Where the reader says whom to trust: beside the verdict, which hangs on it. */
  readonly trust: ComponentChildren;
  readonly executed: Element | null;
}

function Told({ outcome: { answer, trusted, restsOnService, isAway }, trust, executed }: ToldProps) {
  if (answer.kind !== "judged")
    return (
      <>
        <p class="fault" role="alert">
          {answer.kind === "fault"
            ? filled(words.fault, {
                field: words.fields[answer.field],
                why: answer.message,
              })
            : words.lost[answer.why]}
        </p>
        {trust}
      </>
    );
  return (
    <>
      {isAway ? <p class="fault">{words.serviceFailed}</p> : null}
      <Report view={answer.view} trusted={trusted} restsOnService={restsOnService} executed={executed}>
        {trust}
      </Report>
    </>
  );
}
