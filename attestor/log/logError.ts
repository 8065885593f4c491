/** Something of a log that cannot be read: a note, a key, a tile, a proof. */
export class LogError extends Error {
  override readonly name = "LogError";
}

/** A checkpoint that none of the known keys signed, or is for. */
export class UnknownLog extends LogError {}
