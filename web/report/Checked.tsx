/** A document, what the reader trusts, and what came of judging the one by the other. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import { grouped } from "../../attestor/view/amounts.ts";
import { Folded } from "../parts.tsx";
import type { StoredTrade } from "../props.ts";
import type { Judge } from "./judge.ts";
import type { Input, KnownText } from "./judging.ts";
import { Report } from "./Report.tsx";
import { judgeWith, type Outcome, type Service } from "./service.ts";
import { FIELDS, TrustFields } from "./TrustFields.tsx";
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

export interface PublishedProps extends Pick<CheckedProps, "judge" | "save"> {
  /** Path of the document. */
  readonly path: string;
  readonly stored: StoredTrade;
  /** The text at a path of the service; null: there is none. @throws where it does not answer */
  get(path: string): Promise<string | null>;
}

/** A published report: what the service says of it, and then what came of judging it in this browser. */
export function Published({ path, stored, judge, get, save }: PublishedProps) {
  const [text, setText] = useState<string | null>(null);
  const [isLost, setLost] = useState(false);
  const service = useMemo(() => ({ statement: stored.service, get }), [stored, get]);
  useEffect(() => {
    const lost = () => setLost(true);
    get(path).then((answer) => (answer === null ? lost() : setText(answer)), lost);
  }, []);
  return (
    <>
      {isLost ? (
        <p class="fault" role="alert">
          The report could not be fetched from this service. Reload the page to try again.
        </p>
      ) : null}
      <Checked input={text} judge={judge} known={[]} service={service} stored={stored} save={save} />
    </>
  );
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
        {isBusy ? "Checking…" : (view?.verdict ?? "")}
      </p>
      {isWaiting ? <p class="soft waiting">Checking…</p> : null}
      {outcome?.isAway ? <p class="fault">This service did not answer, so nothing of it was used.</p> : null}
      {outcome === null && stored !== null ? <NotChecked judged={stored.judged} /> : null}
      {outcome === null ? null : <VerdictOrFault outcome={outcome} />}
      {isWaiting ? null : (
        <div class="trust">
          {service === null ? null : (
            <label class="switch">
              <input
                type="checkbox"
                checked={isServiceAsked}
                onChange={(event) => setServiceAsked(event.currentTarget.checked)}
              />
              <span>Also ask this service for its guard, keys, registry and log key</span>
            </label>
          )}
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

const LOST = {
  slow: "This took more than a minute and was stopped. A report takes less than a second.",
  failed: "The check could not be carried out in this browser.",
} as const;

function VerdictOrFault({ outcome: { answer, trusted, restsOnService } }: { outcome: Outcome }) {
  if (answer.kind === "judged")
    return <Verdict view={answer.view} trusted={trusted} restsOnService={restsOnService} />;
  return (
    <p class="fault" role="alert">
      {answer.kind === "fault" ? `${FIELDS[answer.field].label}: ${answer.message}.` : LOST[answer.why]}
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
    void judgeWith(judge, { input, reader, known }, service).then((next) => {
      if (mine !== run.current || next === null) return;
      setOutcome(next);
      setBusy(false);
    });
  }, [input, judge, reader, service]);
  return { outcome, isBusy, run: run.current };
}

/** More of a document than this makes a page slow, and nobody reads it. */
const SHOWN_LENGTH = 200_000;

/** @param save hands it over as a file */
function Raw({ text, save }: { text: string; save: () => void }) {
  const all = grouped(String(text.length));
  return (
    <Folded id="raw" title="The document" hint="As JSON, as it was judged.">
      <p>
        <button type="button" onClick={save}>
          Save it as a file
        </button>{" "}
        {text.length > SHOWN_LENGTH
          ? `The first ${grouped(String(SHOWN_LENGTH))} of ${all} characters.`
          : null}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by the keyboard */}
      <pre tabIndex={0}>{text.slice(0, SHOWN_LENGTH)}</pre>
    </Folded>
  );
}
