/** Random names for requests. */

const ID_BYTES = 9;
const IDS_A_DRAW = 256;

/** Draws for many at once: a system call for each would cost more than the rest of a short request. */
export function createRequestIds(randomBytes: (count: number) => Uint8Array): () => string {
  let drawn = Buffer.alloc(0);
  let next = 0;
  return () => {
    if (next >= drawn.length) {
      drawn = Buffer.from(randomBytes(ID_BYTES * IDS_A_DRAW));
      next = 0;
    }
    next += ID_BYTES;
    return drawn.toString("base64url", next - ID_BYTES, next);
  };
}
