/** The verifier as a page: a place to drop a report, choose a file or paste text, and what comes of it. */
import { useEffect, useState } from "preact/hooks";
import { MAX_DOCUMENT_LENGTH } from "../../attestor/verify/document.ts";
import { Checked, type CheckedProps } from "../report/Checked.tsx";
import type { Input } from "../report/judging.ts";
import { MOST_BYTES } from "../report/TrustFields.tsx";

/** What is pasted beyond this is not shown in the field, which would become slow. */
const SHOWN_LENGTH = 200_000;

interface Given {
  readonly input: Input;
  /** Of the file; null for text. */
  readonly name: string | null;
}

export interface VerifierProps extends Pick<CheckedProps, "judge" | "known" | "save"> {
  /** Of the program. */
  readonly version: string;
}

export function VerifierPage({ judge, known, save, version }: VerifierProps) {
  const names = known.map(({ chainId, address }) => `${chainId}:${address}`).join(", ");
  return (
    <>
      <h1>Assay verifier</h1>
      <p class="lead soft">
        This file checks reports on its own: it loads nothing, asks nobody, and works from your disk without a
        network.
      </p>
      <noscript>
        <p>
          Checking needs JavaScript. The command line does the same:{" "}
          <code>npm run assay -- verify report.json</code>
        </p>
      </noscript>
      <Verifier judge={judge} known={known} save={save} />
      <footer class="soft small">
        <p>
          {known.length === 0
            ? "This file knows no guard: name the one that you use, or its key."
            : `Guards that this file knows: ${names}`}
        </p>
        <p>Assay {version}</p>
      </footer>
    </>
  );
}

function Verifier({ judge, known, save }: Omit<VerifierProps, "version">) {
  const [given, setGiven] = useState<Given | null>(null);
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);

  function take(input: Input, name: string | null = null) {
    setFault(null);
    setGiven({ input, name });
  }

  async function takeFile(file: File | undefined) {
    if (file === undefined) return;
    if (file.size > MOST_BYTES) return take({ tooLarge: file.name }, file.name);
    try {
      take(await file.arrayBuffer(), file.name);
    } catch {
      setFault("The file could not be read.");
    }
  }

  function onPaste(event: ClipboardEvent) {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (pasted.length <= SHOWN_LENGTH) return;
    event.preventDefault();
    if (pasted.length > MAX_DOCUMENT_LENGTH)
      setFault("That text is longer than 4 MiB and was not taken; a report has a few kilobytes.");
    else take(pasted);
  }

  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void takeFile(file);
      else {
        const dropped = event.dataTransfer?.getData("text") ?? "";
        if (dropped !== "") take(dropped);
      }
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);

  return (
    <div class="verifier">
      {given === null ? (
        <Place text={text} setText={setText} onPaste={onPaste} take={take} takeFile={takeFile} />
      ) : (
        <p class="given">
          <span class="soft">{given.name ?? "Pasted text"}</span>{" "}
          <button type="button" onClick={() => setGiven(null)}>
            Another report
          </button>
        </p>
      )}
      {fault === null ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      {given === null ? null : (
        <Checked input={given.input} judge={judge} known={known} service={null} save={save} />
      )}
    </div>
  );
}

interface PlaceProps {
  readonly text: string;
  setText(text: string): void;
  onPaste(event: ClipboardEvent): void;
  take(input: Input): void;
  takeFile(file: File | undefined): Promise<void>;
}

function Place({ text, setText, onPaste, take, takeFile }: PlaceProps) {
  return (
    <>
      <label class="drop">
        <strong>Drop a report here, or choose a file</strong>
        <span class="soft">
          A report, the answer of prepare-execution, or a job with its report. It is checked in this browser
          and not sent anywhere.
        </span>
        <input
          name="report"
          type="file"
          aria-label="Choose a file"
          onChange={(event) => void takeFile(event.currentTarget.files?.[0])}
        />
      </label>
      <form
        class="paste"
        onSubmit={(event) => {
          event.preventDefault();
          take(text);
        }}
      >
        <label>
          <span>…or paste its text</span>
          <textarea
            name="text"
            rows={4}
            spellcheck={false}
            maxLength={MAX_DOCUMENT_LENGTH + 1}
            value={text}
            onPaste={onPaste}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Check</button>
      </form>
    </>
  );
}
