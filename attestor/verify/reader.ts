/** Parses what a reader verifies with: texts typed in, or the contents of files. */
import { parseVkey, type VerifierKey } from "../log/note.ts";
import { parsePolicies } from "../policies/policy.ts";
import { type Header, headerOf, readHeader } from "../proofs/header.ts";
import { withPublisherKeys } from "../publishers/publisherKeys.ts";
import { parseRegistry, type Registry } from "../registry.ts";
import { AttestorError } from "../values/attestorErrors.ts";
import { asRecord } from "../values/json.ts";
import { Address, AssetKey, addressOf } from "../values/primitives.ts";
import { parseDocument } from "./document.ts";
import type { GuardName, Reader } from "./trust.ts";

/** Texts; what is not there, or empty, was not given. The names are those of the options of `assay verify`. */
export interface ReaderTexts {
  /** `56:0x…`. */
  readonly guard?: string | undefined;
  /** `0x…`. */
  readonly signer?: string | undefined;
  /** Verifier keys, a line each. */
  readonly logKey?: string | undefined;
  readonly witness?: string | undefined;
  /** JSON. */
  readonly registry?: string | undefined;
  readonly policies?: string | undefined;
  readonly guardianSets?: string | undefined;
  readonly samples?: string | undefined;
  /** A block as JSON, or the RLP of its header. */
  readonly header?: string | undefined;
  /** Any text: every check that is possible must be made. */
  readonly strict?: string | undefined;
}

/** One of the texts is invalid; the message says why. */
export class ReaderFault extends Error {
  readonly field: keyof ReaderTexts;
  constructor(field: keyof ReaderTexts, message: string) {
    super(message);
    this.name = "ReaderFault";
    this.field = field;
  }
}

/** @throws ReaderFault for the first invalid text */
export function readerOptions(texts: ReaderTexts): Reader {
  const read = <T>(field: keyof ReaderTexts, make: (text: string) => T): T | undefined => {
    const text = texts[field]?.trim() ?? "";
    if (text === "") return undefined;
    try {
      return make(text);
    } catch (error) {
      throw new ReaderFault(field, (error as Error).message);
    }
  };
  const logKeys = read("logKey", vkeysIn);
  const witnessKeys = read("witness", vkeysIn);
  return {
    guard: read("guard", guardNamed),
    signer: read("signer", signerNamed),
    ...(logKeys === undefined ? {} : { logKeys }),
    ...(witnessKeys === undefined ? {} : { witnessKeys }),
    registry: read("registry", (text) => registryIn(parseDocument(text))),
    policies: read("policies", (text) => parsePolicies(parseDocument(text))) ?? [],
    publisherKeys: read("guardianSets", (text) => withPublisherKeys(parseDocument(text))),
    samples: read("samples", parseDocument),
    header: read("header", headerIn),
    strict: read("strict", () => true),
  };
}

/** @param text `56:0x…` @throws AttestorError `invalid_input` */
export function guardNamed(text: string): GuardName {
  const key = AssetKey.safeParse(`eip155:${text}`);
  const chainId = Number(text.split(":")[0]);
  if (!key.success || !Number.isSafeInteger(chainId))
    throw new AttestorError(
      "invalid_input",
      "must be <chainId>:<address>, such as 56:0x and 40 hexadecimal digits",
    );
  return { chainId, address: addressOf(key.data) };
}

/** @throws AttestorError `invalid_input` */
export function signerNamed(text: string): string {
  const parsed = Address.safeParse(text);
  if (!parsed.success)
    throw new AttestorError("invalid_input", "must be an address: 0x and 40 hexadecimal digits");
  return parsed.data;
}

/** @param value a registry, or a deployment file with it @throws AttestorError `invalid_registry` */
export function registryIn(value: unknown): Registry {
  return parseRegistry(asRecord(value)?.registry ?? value);
}

/**
 * A block as a node answers it (alone, or as the whole answer), or the RLP of its header.
 * @throws AttestorError `not_a_document`, `invalid_input`
 */
export function headerIn(text: string): Header {
  const trimmed = text.trim();
  const rlp = trimmed.startsWith("0x") ? trimmed : headerOf(blockIn(text));
  const header = rlp === null ? null : readHeader(rlp);
  if (header === null)
    throw new AttestorError(
      "invalid_input",
      "this is no block header, or one whose members do not hash to its hash",
    );
  return header;
}

function blockIn(text: string): unknown {
  const value = parseDocument(text);
  return asRecord(value)?.result ?? value;
}

/** @throws LogError */
function vkeysIn(text: string): VerifierKey[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(parseVkey);
}
