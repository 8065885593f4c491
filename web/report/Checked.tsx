/** A document, what the reader trusts, and what came of judging the one by the other. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import { filled } from "../../attestor/view/language.ts";
import type { StoredTrade } from "../props.ts";
import words from "../words/report.json" with { type: "json" };
import { Raw } from "./Details.tsx";
import type { Judge } from "./judge.ts";
import type { Input, KnownText } from "./question.ts";
import { Report } from "./Report.tsx";
import { judgeWith, type Outcome, type Service } from "./service.ts";
import { TrustFields } from "./TrustFields.tsx";
import { NotChecked, Verdict } from "./Verdict.tsx";

export interface CheckedProps {
  /** null: it is not here yet, or there is no script. */
  readonly input: Input | null;
  /** null: on the server, which judges nothing. */
  readonly judge: Judge | null;
  /** Records that this program brings. */
  readonly known: readonly KnownText[];
  /** Where the page came from; null: from nowhere. */
  readonly service: Service | null;
  /** What the service says of the document; null: it is the reader's own. */
  readonly stored?: StoredTrade | null;
  /** Hands the document's text to the reader as a file. */
  save(name: string, text: string): void;
}

export function Checked({ input, judge, known, service, stored = null, save }: CheckedProps) {
  const [reader, setReader] = useState<ReaderTexts>({});
  const [isServiceAsked, setServiceAsked] = useState(service !== null);
  const asked = isServiceAsked ? service : null;
  const { outcome, isBusy, run } = useOutcome({ input, judge, known, reader, service: asked });
  const answer = outcome?.answer ?? null;
  const view = answer?.kind === "judged" ? answer.view : null;
  // What moves when it comes is not there before.
  const isWaiting = outcome === null && stored === null;
  const text = useMemo(() => textOf(input), [input]);
  const judged = view === null ? (stored?.judged ?? null) : view.judged;
  return (
    <div class="checked" data-run={isBusy ? "busy" : run} aria-busy={isBusy}>
      <p class="hidden" role="status">
        {isBusy ? words.checking : (view?.verdict ?? "")}
      </p>
      {isWaiting ? <p class="soft waiting">{words.checking}</p> : null}
      {outcome?.isAway ? <p class="fault">{words.serviceFailed}</p> : null}
      {answer === null && stored !== null ? <NotChecked judged={stored.judged} /> : null}
      {outcome === null ? null : <Told outcome={outcome} />}
      {isWaiting ? null : (
        <div class="trust">
          {service === null ? null : <ServiceSwitch isOn={isServiceAsked} onChange={setServiceAsked} />}
          <TrustFields reader={reader} onChange={setReader} />
        </div>
      )}
      {view === null && judged === null ? null : <Report view={view} judged={judged} stored={stored} />}
      {text === null || isWaiting ? null : <Raw text={text} save={() => save("report.json", text)} />}
    </div>
  );
}

/** null: there is none, or it is too large to be read. */
function textOf(input: Input | null): string | null {
  if (input === null || typeof input === "string") return input;
  return input instanceof ArrayBuffer ? new TextDecoder().decode(input) : null;
}

/** The verdict, or why there is none. */
function Told({ outcome: { answer, trusted, restsOnService } }: { outcome: Outcome }) {
  if (answer.kind === "judged")
    return <Verdict view={answer.view} trusted={trusted} restsOnService={restsOnService} />;
  const text =
    answer.kind === "fault"
      ? filled(words.fault, { field: words.fields[answer.field], why: answer.message })
      : words.lost[answer.why];
  return (
    <p class="fault" role="alert">
      {text}
    </p>
  );
}

interface Asked extends Pick<CheckedProps, "input" | "judge" | "known" | "service"> {
  readonly reader: ReaderTexts;
}

/** Judges again whenever what is asked changes; an answer to an older question is dropped. */
function useOutcome({ input, judge, known, reader, service }: Asked) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = useRef(0);
  useEffect(() => {
    if (input === null || judge === null) return;
    const mine = ++run.current;
    setBusy(true);
    void judgeWith(judge, { input, reader, known, service }).then((next) => {
      if (mine !== run.current || next === null) return;
      setOutcome(next);
      setBusy(false);
    });
  }, [input, judge, reader, service]);
  return { outcome, isBusy, run: run.current };
}

function ServiceSwitch({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{words.serviceSwitch}</span>
    </label>
  );
}
