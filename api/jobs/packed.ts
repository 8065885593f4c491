/** JSON as it is stored where it is large: deflated, in base64, so that both databases hold it as text. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Beyond this nothing of ours goes; what inflates to more did not come from here. */
const MAX_BYTES = 8 * 1024 * 1024;

export function packed(value: unknown): string {
  return deflateRawSync(JSON.stringify(value)).toString("base64");
}

/** @throws Error for text that `packed` did not make */
export function unpacked(text: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: MAX_BYTES }).toString());
}
