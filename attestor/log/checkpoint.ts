/** Checkpoints (https://c2sp.org/tlog-checkpoint): what a log says of itself at a size, signed. */
import { fromBase64, toBase64 } from "../values/bytes.ts";
import { HASH_LENGTH } from "./hasher.ts";
import { LogError, UnknownLog } from "./logError.ts";
import { holds, isBy, isKeyName, parseNote, type SignedNote, type VerifierKey } from "./note.ts";

export interface Checkpoint {
  /** The log's name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** The text that is signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** @throws LogError for text that is no checkpoint */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", size = "", hash = "", ...rest] = text.split("\n");
  const root = fromBase64(hash);
  const extensions = rest.slice(0, -1);
  if (
    // It is the name of the log's key, and verdicts name it.
    !isKeyName(origin) ||
    !/^(0|[1-9][0-9]{0,15})$/.test(size) ||
    !Number.isSafeInteger(Number(size)) ||
    root?.length !== HASH_LENGTH ||
    rest.at(-1) !== "" ||
    extensions.includes("")
  )
    throw new LogError("this is no checkpoint: origin, size and root, a line each");
  return { origin, size: Number(size), root };
}

export interface OpenedCheckpoint extends Checkpoint {
  /** As it came. */
  readonly note: string;
  /** Names of the known witnesses that cosigned it. */
  readonly witnesses: readonly string[];
}

/** Whose word counts, by the reader. */
export interface LogTrust {
  /** Keys of logs, each of the log that it is named after. */
  readonly logs: readonly VerifierKey[];
  readonly witnesses?: readonly VerifierKey[];
}

/**
 * Reads a checkpoint of a log that the reader trusts.
 * @throws LogError where it is none, is of an unknown log, is not signed by it, or carries a signature of a known key that
 *   does not hold
 */
export function openCheckpoint(note: string, trust: LogTrust): OpenedCheckpoint {
  const signed = parseNote(note);
  const checkpoint = parseCheckpoint(signed.text);
  const keys = trust.logs.filter(({ kind, name }) => kind === 1 && name === checkpoint.origin);
  if (keys.length === 0) throw new UnknownLog(`no known key belongs to the log ${checkpoint.origin}`);
  if (signersOf(signed, keys).length === 0)
    throw new UnknownLog(`the log ${checkpoint.origin} did not sign it with a known key`);
  return { ...checkpoint, note, witnesses: signersOf(signed, trust.witnesses ?? []) };
}

/**
 * Names of the keys that signed a note.
 * @throws LogError where a signature under a key's name and id is not the key's: of several such lines each must hold
 */
export function signersOf({ text, signatures }: SignedNote, keys: readonly VerifierKey[]): string[] {
  return keys
    .filter((key) => {
      const signaturesByKey = signatures.filter((line) => isBy(key, line));
      if (!signaturesByKey.every((line) => holds(key, text, line)))
        throw new LogError(`the signature by ${key.name} does not hold`);
      return signaturesByKey.length > 0;
    })
    .map(({ name }) => name);
}
