/** Which proxies may say whose request they pass on. */
import { isIP } from "node:net";
import { z } from "zod";

/** How many proxies stand before the service, or their addresses; false: none. */
export type TrustProxy = false | number | readonly string[];

/** Hops, or addresses and networks of proxies. `true` would let every client name its own address. */
export const TrustProxySetting = z
  .string()
  .refine(
    (text) => text === "false" || /^[0-9]{1,2}$/.test(text) || text.split(",").every(isProxy),
    "must be false, a number of proxies, or their addresses and networks separated by commas",
  )
  .transform((text): TrustProxy => {
    if (text === "false" || text === "0") return false;
    return /^[0-9]+$/.test(text) ? Number(text) : text.split(",").map((entry) => entry.trim());
  });

function isProxy(entry: string): boolean {
  const [address = "", prefix, ...rest] = entry.trim().split("/");
  if (["loopback", "linklocal", "uniquelocal"].includes(entry.trim())) return true;
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  return (
    bits !== undefined &&
    rest.length === 0 &&
    (prefix === undefined || (/^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}
