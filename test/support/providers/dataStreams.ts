/** Chainlink's Data Streams API, as its documentation and its Go client have it: checks who asks, and hands out real reports. */
import { createHash, createHmac } from "node:crypto";
import { captured } from "./captures.ts";
import { json, type Reply } from "./upstream.ts";

/** The captured answers, by the stream's name. */
export const REPORTS: Readonly<
  Record<"AAPL" | "SPY" | "XAU" | "v3", { readonly response: { readonly report: any } }>
> = captured("chainlinkStreams").reports;

/** The bytes that the oracles signed. */
export const signedReport = (name: keyof typeof REPORTS): string => REPORTS[name].response.report.fullReport;

const WINDOW_MS = 5_000;

/** @param user `key:secret` @param now unix milliseconds by the server's clock @param streams that the key may read */
export function dataStreams(
  user: string,
  now: () => number,
  streams: readonly { readonly response: { readonly report: any } }[] = Object.values(REPORTS),
): Reply {
  const [key, secret] = user.split(":") as [string, string];
  const answerOf: (asked: Parameters<Reply>[0]) => [body: object, status?: number] = ({
    method,
    path,
    query,
    headers,
    body,
  }) => {
    const at = headers["x-authorization-timestamp"];
    const signature = headers["x-authorization-signature-sha256"];
    if (!headers.authorization || !signature || Math.abs(Number(at) - now()) > WINDOW_MS || method !== "GET")
      return [{ message: "missing or malformed header" }, 400];
    const bodyHash = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signed = [method, path, bodyHash, headers.authorization, at].join(" ");
    if (
      headers.authorization !== key ||
      signature !== createHmac("sha256", secret).update(signed).digest("hex")
    )
      return [{ message: "authentication failed" }, 401];
    const reports = streams.map(({ response }) => response.report);
    if (path === "/api/v1/feeds") return [{ feeds: reports.map(({ feedID }) => ({ feedID })) }];
    if (!path.startsWith("/api/v1/reports/latest?")) return [{ message: "no such endpoint" }, 404];
    const wanted = query.get("feedID");
    if (!/^0x[0-9a-f]{64}$/.test(wanted ?? "")) return [{ message: "malformed feedID" }, 400];
    const report = reports.find(({ feedID }) => feedID === wanted);
    return report ? [{ report }] : [{ message: "no permission for this stream" }, 401];
  };
  return (asked, response) => json(...answerOf(asked))(asked, response);
}
