/** Protection against DNS rebinding: Host and Origin of a request against the names that are served. */
import { validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";

/** Why a request may not come in, or null. Clients that are no browsers send no Origin. */
export function refusalOfHost(
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  allowed: readonly string[],
): string | null {
  if (!validateHostHeader(headers.host, [...allowed]).ok)
    return "This Host is not served here; the operator can allow it with PUBLIC_URL or MCP_ALLOWED_HOSTS.";
  if (!validateOriginHeader(headers.origin, [...allowed]).ok) return "This Origin is not served here.";
  return null;
}
