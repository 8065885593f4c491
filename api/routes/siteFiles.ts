/** Files that browsers, crawlers and researchers look for at fixed addresses. */
import { finish, replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import { FAVICON } from "../pages/icon.ts";
import { route } from "../route.ts";
import type { Service } from "../service.ts";

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. */
const SECURITY_DAYS = 180;
const ROBOTS = "User-agent: *\nDisallow:\n";
const TEXT = "text/plain; charset=utf-8";
const common = { tags: ["Pages"], auth: "public", responses: {} } as const;

type Headers = Readonly<Record<string, string | undefined>>;
const fileReply = (content: string | Buffer, type: string, headers: Headers) =>
  replyWith(finish(content), headers, "public, max-age=86400", { "Content-Type": type });

export const siteFileRoutes = [
  route({
    ...common,
    path: "/favicon.ico",
    operationId: "favicon",
    summary: "The icon of the pages",
    handle: ({ headers }) => fileReply(FAVICON, "image/x-icon", headers),
  }),
  route({
    ...common,
    path: "/robots.txt",
    operationId: "robots",
    summary: "What crawlers may read",
    handle: ({ headers }) => fileReply(ROBOTS, TEXT, headers),
  }),
  route({
    ...common,
    path: "/.well-known/security.txt",
    operationId: "securityText",
    summary: "Where to report a fault (RFC 9116)",
    description: "Exists only where SECURITY_CONTACT is set.",
    handle: async ({ headers }, service) => fileReply(securityText(service), TEXT, headers),
  }),
];

/** @throws Problem not_found without a contact: a file without one says nothing */
function securityText({ config, publicUrl, now }: Service): string {
  if (config.securityContact === null) throw new Problem("not_found", "there is nothing at this path");
  const expires = new Date((Math.floor(now() / DAY_MS) + SECURITY_DAYS) * DAY_MS).toISOString();
  return [
    `Contact: ${config.securityContact}`,
    `Expires: ${expires}`,
    "Preferred-Languages: en, zh",
    `Canonical: ${publicUrl()}/.well-known/security.txt`,
    "",
  ].join("\n");
}
