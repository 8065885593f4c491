/**
 * Under which names the service may be spoken to at /mcp, and which proxies may say whose request they pass on. A page in
 * a browser that has its own name resolved to this machine (DNS rebinding) speaks to /mcp under that name, and is refused
 * (`refusalOfHost`).
 */
import { isIP } from "node:net";
import { z } from "zod";

const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
const EVERYWHERE = new Set(["0.0.0.0", "::", ""]);

const HOST = /^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*|\[[0-9A-Fa-f:.]+\])$/;

/** The setting: host names with commas between, without scheme and port; IPv6 addresses in brackets. */
export const HostList = z
  .string()
  .transform((text) => text.split(",").map((host) => host.trim()))
  .refine(
    (hosts) => hosts.every((host) => HOST.test(host)),
    "must be host names separated by commas, without scheme and port, such as assay.example.com,[::1]",
  );

/**
 * This machine's own names, the address that the service listens at, the name of its public URL, and the operator's.
 * @param more host names without ports
 */
export function hostsOf(listening: string, publicUrl: string | null, more: readonly string[]): string[] {
  const listeningHost = EVERYWHERE.has(listening)
    ? []
    : [listening.includes(":") ? `[${listening}]` : listening];
  const open = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return [...new Set([...LOCAL, ...listeningHost, ...open, ...more].map((host) => host.toLowerCase()))];
}

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
