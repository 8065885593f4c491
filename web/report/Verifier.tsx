/** A place to drop a report, choose a file or paste text, and what comes of it. */
import { useEffect, useState } from "preact/hooks";
import { MAX_DOCUMENT_LENGTH } from "../../attestor/verify/document.ts";
import words from "../words/report.json" with { type: "json" };
import { Checked, type CheckedProps } from "./Checked.tsx";
import type { Input } from "./question.ts";
import { MOST_BYTES } from "./TrustFields.tsx";

/** What is pasted beyond this is not shown in the field, which would become slow. */
const SHOWN_LENGTH = 200_000;

interface Given {
  readonly input: Input;
  /** Of the file; null for text. */
  readonly name: string | null;
}

export function Verifier({ judge, known, save }: Pick<CheckedProps, "judge" | "known" | "save">) {
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
      setFault(words.fileFailed);
    }
  }

  function onPaste(event: ClipboardEvent) {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (pasted.length <= SHOWN_LENGTH) return;
    event.preventDefault();
    if (pasted.length > MAX_DOCUMENT_LENGTH) setFault(words.tooLong);
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
          <span class="soft">{given.name ?? words.pasted}</span>{" "}
          <button type="button" onClick={() => setGiven(null)}>
            {words.another}
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
        <strong>{words.drop}</strong>
        <span class="soft">{words.dropHint}</span>
        <input
          name="report"
          type="file"
          aria-label={words.choose}
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
          <span>{words.paste}</span>
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
        <button type="submit">{words.check}</button>
      </form>
    </>
  );
}
