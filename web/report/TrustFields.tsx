/** Where the reader gives what they trust, and what they have from elsewhere: the options of `assay verify`. */
import { useState } from "preact/hooks";
import type { ReaderTexts } from "../../attestor/verify/reader.ts";

type Field = keyof ReaderTexts;

interface FieldWords {
  readonly label: string;
  /** The option of `assay verify`, as sentences of the verdict name it. */
  readonly option: string;
  readonly example?: string;
}

export const FIELDS: Readonly<Record<Field, FieldWords>> = {
  guard: { label: "The guard that you use", option: "--guard", example: "56:0x…" },
  signer: { label: "The attestation key that you trust", option: "--signer", example: "0x…" },
  logKey: {
    label: "Keys of the decision log, one per line",
    option: "--log-key",
    example: "assay.example.com/log+0123abcd+…",
  },
  witness: { label: "Witnesses that must have signed, one per line", option: "--witness" },
  registry: { label: "Registry, or a deployment file with it", option: "--registry" },
  policies: { label: "More policies", option: "--policies" },
  guardianSets: { label: "More keys of price publishers", option: "--guardian-sets" },
  samples: { label: "The samples behind the liquidity grade", option: "--samples" },
  header: {
    label: "The header of the evidence's block, as you have it from the chain",
    option: "--header",
  },
  strict: {
    label: "UNVERIFIABLE where anything was skipped that could be checked",
    option: "--strict",
  },
};
const LINES = ["guard", "signer"] as const;
const AREAS = ["logKey", "witness"] as const;
const FILES = ["registry", "policies", "guardianSets", "samples", "header"] as const;
/** More than the longest text that counts has of bytes. */
export const MOST_BYTES = 12 * 1024 * 1024;

interface TrustFieldsProps {
  readonly reader: ReaderTexts;
  onChange(change: (before: ReaderTexts) => ReaderTexts): void;
}

export function TrustFields({ reader, onChange }: TrustFieldsProps) {
  const set = (field: Field, text: string) => onChange((before) => ({ ...before, [field]: text }));
  const typed = (field: Field) => ({
    name: field,
    spellcheck: false,
    placeholder: FIELDS[field].example,
    value: reader[field] ?? "",
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      set(field, event.currentTarget.value),
  });
  return (
    <details class="fields">
      <summary>What you trust, and have from elsewhere</summary>
      <p class="soft">
        Without a reason to trust its issuer, a report is UNVERIFIABLE at best. Take none of these from the
        document itself. Options that the verdict names are these fields; --rpc and --service are of the
        command assay verify alone.
      </p>
      <div class="grid">
        {LINES.map((field) => (
          <label key={field}>
            <Label field={field} />
            <input autocomplete="off" {...typed(field)} />
          </label>
        ))}
        {AREAS.map((field) => (
          <label key={field}>
            <Label field={field} />
            <textarea rows={2} {...typed(field)} />
          </label>
        ))}
        {FILES.map((field) => (
          <FileField key={field} field={field} isGiven={Boolean(reader[field])} set={set} />
        ))}
        <label>
          <Label field="strict" />
          <input
            name="strict"
            type="checkbox"
            checked={Boolean(reader.strict)}
            onChange={(event) => set("strict", event.currentTarget.checked ? "yes" : "")}
          />
        </label>
      </div>
    </details>
  );
}

function Label({ field }: { field: Field }) {
  const { label, option } = FIELDS[field];
  return (
    <span>
      {label} <code>{option}</code>
    </span>
  );
}

interface FileFieldProps {
  readonly field: Field;
  readonly isGiven: boolean;
  set(field: Field, text: string): void;
}

function FileField({ field, isGiven, set }: FileFieldProps) {
  const [name, setName] = useState("");
  async function take(file: File | undefined) {
    if (file === undefined) return;
    // What is too long is no such file, and its end says nothing.
    const text = await file.slice(0, MOST_BYTES).text();
    setName(file.name);
    set(field, text);
  }
  return (
    <label>
      <Label field={field} />
      <input name={field} type="file" onChange={(event) => void take(event.currentTarget.files?.[0])} />
      {isGiven ? (
        <span class="small">
          given: {name}{" "}
          <button type="button" onClick={() => set(field, "")}>
            remove
          </button>
        </span>
      ) : null}
    </label>
  );
}
