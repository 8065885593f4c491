/**
 * Under which names the service may be spoken to at /mcp. A page in a browser that has its own name resolved to this
 * machine (DNS rebinding) speaks to it under that name, and is refused (`hostCheck.ts`).
 */
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
  const own = EVERYWHERE.has(listening) ? [] : [listening.includes(":") ? `[${listening}]` : listening];
  const open = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return [...new Set([...LOCAL, ...own, ...open, ...more].map((host) => host.toLowerCase()))];
}
