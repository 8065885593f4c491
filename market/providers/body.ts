/** An answer's body, up to a limit. */
import { ProviderFault } from "./fault.ts";

/**
 * Counts decoded bytes as they come: a header may lie, and a small compressed body may grow large.
 * @throws ProviderFault `too_large`
 */
export async function readBody(provider: string, response: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new ProviderFault(provider, "too_large", { status: response.status });
  if (!response.body) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
