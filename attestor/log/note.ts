/**
 * Signed notes and the keys that verify them (https://c2sp.org/signed-note), with the two kinds of signature that logs
 * and their witnesses make: Ed25519 over the text, and the timestamped cosignature (https://c2sp.org/tlog-cosignature).
 */
import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { fromBase64, toBase64, utf8 } from "../values/bytes.ts";
import { LogError } from "./logError.ts";

/** What a key signs: 1 a note's text, 4 a checkpoint with the time. */
export type KeyKind = 1 | 4;

/** A key that verifies notes, as its text (a vkey) says. */
export interface VerifierKey {
  readonly name: string;
  readonly kind: KeyKind;
  /** The first four bytes of the key's hash, in hexadecimal. */
  readonly id: string;
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  /** As of the key. */
  readonly keyId: string;
  /** What stands behind the key's id. */
  readonly signature: Uint8Array;
}

export interface SignedNote {
  /** With its last line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const TIME_LENGTH = 8;
const MAX_SIGNATURES = 64;
const MAX_NOTE_LENGTH = 1_000_000;
const NAME = /^[^\s+\p{Z}\p{Cc}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: notes must not have them
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

export function isKeyName(name: string): boolean {
  return NAME.test(name) && name.isWellFormed();
}

/** @throws LogError for a name that no key may have */
export function verifierKey(name: string, kind: KeyKind, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new LogError("a key's name has neither spaces nor +, and is not empty");
  const id = sha256(concatBytes(utf8(`${name}\n`), Uint8Array.of(kind), publicKey)).slice(0, 4);
  return { name, kind, id: bytesToHex(id), publicKey };
}

/** `<name>+<id>+<key>`. */
export function vkeyText({ name, kind, id, publicKey }: VerifierKey): string {
  return `${name}+${id}+${toBase64(concatBytes(Uint8Array.of(kind), publicKey))}`;
}

/** @throws LogError for text that is no vkey of an Ed25519 key, of either kind */
export function parseVkey(text: string): VerifierKey {
  const [name = "", id = "", ...rest] = text.split("+");
  const bytes = fromBase64(rest.join("+"));
  const kind = bytes?.[0];
  if (!bytes || bytes.length !== 1 + PUBLIC_KEY_LENGTH || (kind !== 1 && kind !== 4))
    throw new LogError("this is no verifier key: <name>+<id>+<Ed25519 key in base64>");
  const key = verifierKey(name, kind, bytes.slice(1));
  if (key.id !== id) throw new LogError(`the verifier key's id is ${key.id}, and not ${id.slice(0, 20)}`);
  return key;
}

export function noteText({ text, signatures }: SignedNote): string {
  const lines = signatures.map(
    ({ name, keyId, signature }) =>
      `— ${name} ${toBase64(
        concatBytes(
          Uint8Array.from(keyId.match(/../g) ?? [], (hex) => Number.parseInt(hex, 16)),
          signature,
        ),
      )}\n`,
  );
  return `${text}\n${lines.join("")}`;
}

/** @throws LogError for text that is no signed note */
export function parseNote(note: string): SignedNote {
  if (note.length > MAX_NOTE_LENGTH || CONTROL.test(note) || !note.isWellFormed())
    throw new LogError("this is not a signed note: it is too long, or not valid UTF-8 text");
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n"))
    throw new LogError("this is not a signed note: there is no empty line before its signatures");
  return { text: note.slice(0, end + 1), signatures: parseSignatures(note.slice(end + 2)) };
}

/** @throws LogError for lines that are no signatures */
export function parseSignatures(lines: string): NoteSignature[] {
  const signed = lines.split("\n").slice(0, -1);
  if (signed.length === 0 || signed.length > MAX_SIGNATURES || !lines.endsWith("\n"))
    throw new LogError(`a note has 1 to ${MAX_SIGNATURES} signatures, a line each`);
  return signed.map((line) => {
    const [, name = "", encoded = ""] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded);
    if (!isKeyName(name) || bytes === null || bytes.length < 5)
      throw new LogError("a line below the note is no signature");
    return { name, keyId: bytesToHex(bytes.slice(0, 4)), signature: bytes.slice(4) };
  });
}

/** Whether a line claims to be by a key. */
export function isBy(key: VerifierKey, { name, keyId }: NoteSignature): boolean {
  return key.name === name && key.id === keyId;
}

/** What is signed with a key of kind 4 at a time, in unix seconds. */
export function cosignedMessage(text: string, time: bigint): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${text}`);
}

/** The bytes of a cosignature's time, as they stand before the signature. */
export function timeBytes(time: bigint): Uint8Array {
  const bytes = new Uint8Array(TIME_LENGTH);
  new DataView(bytes.buffer).setBigUint64(0, time);
  return bytes;
}

/** The time of a cosignature in unix seconds; null where it has none. */
export function timeOf({ signature }: NoteSignature): bigint | null {
  if (signature.length !== TIME_LENGTH + SIGNATURE_LENGTH) return null;
  return new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
}

/** Whether the signature is the key's over this text. */
export function holds(key: VerifierKey, text: string, line: NoteSignature): boolean {
  if (!isBy(key, line)) return false;
  if (key.kind === 1) return verified(line.signature, utf8(text), key.publicKey);
  const time = timeOf(line);
  if (time === null || time === 0n || time >= 2n ** 63n) return false;
  return verified(line.signature.slice(TIME_LENGTH), cosignedMessage(text, time), key.publicKey);
}

/** By the letter of RFC 8032, so that no other program reads a signature otherwise. */
function verified(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_LENGTH) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // A point that is none.
    return false;
  }
}
