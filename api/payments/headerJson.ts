/** Far above the 950 characters of a usual payment or sign-in; contract wallets sign at more length. */
const MAX_LENGTH = 12_000;

/** The JSON of one of x402's headers, which are base64. @returns undefined where it is none, or too long */
export function headerJson(text: string): unknown {
  if (text.length > MAX_LENGTH || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  try {
    return JSON.parse(Buffer.from(text, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}
