/** Basis points, as the pages of the server print them. */
import { signedBps } from "../../attestor/view/amounts.ts";

/** Without a plus, one place: `12.3`. @param value null: not known */
export function bps(value: number | null): string {
  return value === null || !Number.isFinite(value) ? "–" : signedBps(value).replace("+", "");
}
