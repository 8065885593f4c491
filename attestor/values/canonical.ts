/** RFC 8785 canonical JSON, and the hash that binds it. */
import canonicalize from "canonicalize";
import { id } from "../evm/hash.ts";
import { AttestorError } from "./attestorErrors.ts";

/** Deeper than any document of this service; beyond it a reader could run out of stack. */
const MAX_DEPTH = 64;

/** Where in the document an object or a list stands; it becomes text only to say what is wrong. */
interface Place {
  readonly above: Place | null;
  readonly name: string;
}

function refused(place: Place, fault: string): AttestorError {
  let path = "";
  for (let at: Place | null = place; at !== null; at = at.above) path = at.name + path;
  return new AttestorError("not_canonical", `${path} ${fault}`);
}

interface Walk {
  /** Whether every object of the copy keeps its members in the order in which they were set. */
  keepsOrder: boolean;
}

/**
 * A copy whose members are in the canonical order. Refuses values that two implementations could read differently:
 * fractions and large numbers (amounts are strings), `undefined`, dates, class instances, unpaired surrogates,
 * endless nesting. One walk does both, as every judgement takes it over some hundreds of values.
 */
function ordered(value: unknown, walk: Walk, above: Place | null, name: string, depth: number): unknown {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      if (!value.isWellFormed()) throw refused({ above, name }, "is not well-formed Unicode");
      return value;
    case "number":
      if (!Number.isSafeInteger(value) || Object.is(value, -0))
        throw refused({ above, name }, "is not a safe integer");
      return value;
    case "object":
      return value === null ? null : orderedParts(value, walk, { above, name }, depth);
    default:
      throw refused({ above, name }, `is ${typeof value}`);
  }
}

function orderedParts(value: object, walk: Walk, here: Place, depth: number): unknown {
  if (depth === MAX_DEPTH) throw refused(here, "is nested too deeply");
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    // By index, so that a hole counts as the undefined that it reads as.
    for (let index = 0; index < value.length; index++)
      list.push(ordered(value[index], walk, here, `[${index}]`, depth + 1));
    return list;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) throw refused(here, "is not a plain object");
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    if (!key.isWellFormed()) throw refused({ above: here, name: `.${key}` }, "is not well-formed Unicode");
    // Numbers as names move to the front of an object, and this one name does not make a member.
    if (/^[0-9]/.test(key) || key === "__proto__") walk.keepsOrder = false;
    copy[key] = ordered((value as Record<string, unknown>)[key], walk, here, `.${key}`, depth + 1);
  }
  return copy;
}

/**
 * The canonical text of a JSON value.
 * @throws AttestorError `not_canonical`
 */
export function canonicalJson(value: unknown): string {
  const walk: Walk = { keepsOrder: true };
  const copy = ordered(value, walk, null, "$", 0);
  // Strings, literals and integers are written by RFC 8785 as JavaScript writes them.
  const text = walk.keepsOrder ? JSON.stringify(copy) : canonicalize(value);
  if (text === undefined) throw new AttestorError("not_canonical", "$ has no JSON form");
  return text;
}

/** keccak256 of a text's UTF-8 bytes, 0x and 64 digits. */
export type TextHash = (text: string) => string;

/**
 * keccak256 of the UTF-8 bytes of the canonical text: the hash behind every `…Hash` of this service.
 * @param hash a server may bring a faster one of the same kind
 * @throws AttestorError `not_canonical`
 */
export function canonicalHash(value: unknown, hash: TextHash = id): string {
  return hash(canonicalJson(value));
}
