/** Where the reader gives what they trust, and what they have from elsewhere: the options of `assay verify`. */
import { useState } from "preact/hooks";
import type { ReaderTexts } from "../../attestor/verify/reader.ts";
import { filled } from "../../attestor/view/language.ts";
import words from "../words/report.json" with { type: "json" };

type Field = keyof ReaderTexts;
const LINES = ["guard", "signer"] as const;
const AREAS = ["logKey", "witness"] as const;
const FILES = ["registry", "policies", "guardianSets", "samples", "header"] as const;
const HINTS: Readonly<Partial<Record<Field, string>>> = {
  guard: "56:0x…",
  signer: "0x…",
  logKey: "assay.example.com/log+0123abcd+…",
};
/** More than the longest text that counts has of bytes. */
export const MOST_BYTES = 12 * 1024 * 1024;

export interface TrustFieldsProps {
  readonly reader: ReaderTexts;
  onChange(change: (before: ReaderTexts) => ReaderTexts): void;
}

export function TrustFields({ reader, onChange }: TrustFieldsProps) {
  const [names, setNames] = useState<Partial<Record<Field, string>>>({});
  const set = (field: Field, text: string) => onChange((before) => ({ ...before, [field]: text }));
  const typed = (field: Field) => ({
    name: field,
    spellcheck: false,
    placeholder: HINTS[field],
    value: reader[field] ?? "",
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set(field, event.currentTarget.value),
  });
  async function take(field: Field, file: File | undefined) {
    if (file === undefined) return;
    // What is too long is no such file, and its end says nothing.
    const text = await file.slice(0, MOST_BYTES).text();
    setNames((before) => ({ ...before, [field]: file.name }));
    set(field, text);
  }
  return (
    <details class="fields">
      <summary>{words.trust}</summary>
      <p class="soft">{words.trustHint}</p>
      <div class="grid">
        {LINES.map((field) => (
          <label key={field}>
            <span>{words.fields[field]}</span>
            <input autocomplete="off" {...typed(field)} />
          </label>
        ))}
        {AREAS.map((field) => (
          <label key={field}>
            <span>{words.fields[field]}</span>
            <textarea rows={2} {...typed(field)} />
          </label>
        ))}
        {FILES.map((field) => (
          <label key={field}>
            <span>{words.fields[field]}</span>
            <input
              name={field}
              type="file"
              onChange={(event) => void take(field, event.currentTarget.files?.[0])}
            />
            {(reader[field] ?? "") === "" ? null : (
              <span class="small">
                {filled(words.fileGiven, { name: names[field] ?? "" })}{" "}
                <button type="button" onClick={() => set(field, "")}>
                  {words.remove}
                </button>
              </span>
            )}
          </label>
        ))}
        <label>
          <span>{words.fields.strict}</span>
          <input
            name="strict"
            type="checkbox"
            checked={(reader.strict ?? "") !== ""}
            onChange={(event) => set("strict", event.currentTarget.checked ? "yes" : "")}
          />
        </label>
      </div>
    </details>
  );
}
