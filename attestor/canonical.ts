/** RFC 8785 canonical JSON, and the hash that binds it. */
import canonicalize from "canonicalize";
import { AttestorError } from "./errors.ts";
import { id } from "./evm/hash.ts";

/** Deeper than any document of this service; beyond it a reader could run out of stack. */
const MAX_DEPTH = 64;

/**
 * Refuses whatever two implementations could read differently: fractions and large numbers (amounts
 * are strings), `undefined`, dates, class instances, unpaired surrogates, nesting that has no end.
 */
function assertPortable(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case "boolean":
      return;
    case "string":
      if (!value.isWellFormed())
        throw new AttestorError("not_canonical", `${path} is not well-formed Unicode`);
      return;
    case "number":
      if (!Number.isSafeInteger(value) || Object.is(value, -0))
        throw new AttestorError("not_canonical", `${path} is not a safe integer`);
      return;
    case "object":
      break;
    default:
      throw new AttestorError("not_canonical", `${path} is ${typeof value}`);
  }
  if (value === null) return;
  if (depth === MAX_DEPTH) throw new AttestorError("not_canonical", `${path} is nested too deeply`);
  if (Array.isArray(value)) {
    // By index, so that a hole counts as the undefined that it reads as.
    for (let index = 0; index < value.length; index++)
      assertPortable(value[index], `${path}[${index}]`, depth + 1);
    return;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new AttestorError("not_canonical", `${path} is not a plain object`);
  for (const [key, item] of Object.entries(value)) {
    assertPortable(key, `${path} key`, depth + 1);
    assertPortable(item, `${path}.${key}`, depth + 1);
  }
}

/**
 * The canonical text of a JSON value.
 * @throws AttestorError `not_canonical`
 */
export function canonicalJson(value: unknown): string {
  assertPortable(value, "$", 0);
  const text = canonicalize(value);
  if (text === undefined) throw new AttestorError("not_canonical", "$ has no JSON form");
  return text;
}

/** keccak256 of the UTF-8 bytes of the canonical text: the hash behind every `…Hash` of this service. */
export function canonicalHash(value: unknown): string {
  return id(canonicalJson(value));
}
