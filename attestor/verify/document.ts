/** From the bytes of a saved document to JSON that every reader reads alike. */
import { AttestorError } from "../values/attestorErrors.ts";
import { asRecord } from "../values/json.ts";
import { orElse } from "../values/orElse.ts";

/** A report has some kilobytes. */
export const MAX_DOCUMENT_LENGTH = 4 * 1024 * 1024;
const MAX_DEPTH = 64;

/** PowerShell and some editors save text as UTF-16, and mark it so. */
const BYTE_ORDER_MARKS = [
  { encoding: "utf-16le", mark: [0xff, 0xfe] },
  { encoding: "utf-16be", mark: [0xfe, 0xff] },
];

/** The text of a file; null for bytes that are neither UTF-8 nor UTF-16 with its mark. */
export function decodeText(bytes: Uint8Array): string | null {
  const marked = BYTE_ORDER_MARKS.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  const decoder = new TextDecoder(marked?.encoding ?? "utf-8", { fatal: true });
  return orElse(() => decoder.decode(bytes), null);
}

export interface OpenedDocument {
  readonly text: string;
  readonly value: unknown;
  /** Names of what stands around the document, which nobody looks at. */
  readonly around: readonly string[];
}

/**
 * The document in a saved file: the file's own text, or the one text within what an MCP server answers to
 * `resources/read`.
 * @throws as `parseDocument`
 */
export function openDocument(text: string): OpenedDocument {
  const value = parseDocument(text);
  const { contents, ...beside } = asRecord(value) ?? {};
  const content = Array.isArray(contents) && contents.length === 1 ? asRecord(contents[0]) : null;
  const { text: inner, uri: _, mimeType: __, ...more } = content ?? {};
  // With a part of one beside it, two readers could take two documents for the one that was meant.
  const isAmbiguous = PARTS.some((name) => beside[name] !== undefined || more[name] !== undefined);
  if (typeof inner !== "string" || isAmbiguous) return { text, value, around: [] };
  return { text: inner, value: parseDocument(inner), around: Object.keys({ ...beside, ...more }) };
}

const PARTS = ["report", "evidence", "execution"];

/**
 * @throws AttestorError `not_a_document` for text that is too long, not JSON, nested too deeply, or that names a
 *   member twice, which readers resolve differently
 */
export function parseDocument(text: string): unknown {
  if (text.length > MAX_DOCUMENT_LENGTH)
    throw new AttestorError("not_a_document", "it is longer than 4 MiB; a report has some kilobytes");
  let value: unknown;
  try {
    // Who decodes a file without `decodeText` may have its mark still.
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new AttestorError("not_a_document", text.trim() === "" ? "it is empty" : "it is no JSON");
  }
  assertUnambiguous(text);
  return value;
}

/** Walks text that is known to be JSON, without recursion. */
function assertUnambiguous(text: string): void {
  /** The names seen in each object that is open, null for an array. */
  const open: (Set<string> | null)[] = [];
  let nameNext = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") {
      open.push(character === "{" ? new Set() : null);
      if (open.length > MAX_DEPTH) throw new AttestorError("not_a_document", "it is nested too deeply");
      nameNext = character === "{";
    } else if (character === "}" || character === "]") {
      open.pop();
      nameNext = false;
    } else if (character === ",") {
      nameNext = open.at(-1) != null;
    } else if (character === '"') {
      const start = at;
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      if (nameNext) addName(open.at(-1), JSON.parse(text.slice(start, at + 1)));
      nameNext = false;
    }
  }
}

function addName(names: Set<string> | null | undefined, name: string): void {
  if (names?.has(name))
    throw new AttestorError(
      "not_a_document",
      `it names the member ${JSON.stringify(name.slice(0, 40))} twice`,
    );
  names?.add(name);
}

const NUMBER = /[-+.0-9a-zA-Z]+/y;
const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]{0,15})$/;

/**
 * A number that one reader could take for another than the next: `74.0000000000000000000001` is 74 to many. Every number
 * of this service's documents is a plain, safe integer.
 * @param text known to be JSON
 * @returns the number as it is written, cut short; null where there is none
 */
export function oddNumberIn(text: string): string | null {
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(text)?.[0] ?? "";
      if (!PLAIN_INTEGER.test(number) || !Number.isSafeInteger(Number(number))) return number.slice(0, 40);
      at += number.length - 1;
    }
  }
  return null;
}
