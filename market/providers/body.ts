/** The body of an answer. */
import { ProviderFault } from "./fault.ts";

/** @returns null: it is no JSON */
export function parseJson(raw: Uint8Array): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw)) };
  } catch {
    return null;
  }
}

/**
 * Reads it whole. Counts decoded bytes as they come: a header may lie, and a small compressed body may grow large.
 * @throws ProviderFault `too_large`
 */
export async function readBody(provider: string, response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // The rest of a body that is left early is cancelled.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new ProviderFault(provider, "too_large", { status: response.status });
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
