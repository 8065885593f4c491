/** Files that browsers, crawlers and researchers look for at fixed addresses. */
import { named } from "../docs/operations.ts";
import { finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import { FAVICON } from "../pages/icon.ts";

export interface SiteFileDeps {
  /** Where faults are reported, a URL (RFC 9116); null: the operator has not said. */
  readonly securityContact: string | null;
  /** Where clients find the service, without a slash at its end. */
  publicUrl(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. */
const SECURITY_DAYS = 180;
const ROBOTS = "User-agent: *\nDisallow:\n";

export function siteFileRoutes(deps: SiteFileDeps): Route[] {
  return [
    fileRoute("/favicon.ico", "favicon", "image/x-icon", () => FAVICON),
    fileRoute("/robots.txt", "robots", "text/plain; charset=utf-8", () => ROBOTS),
    fileRoute("/.well-known/security.txt", "securityText", "text/plain; charset=utf-8", () =>
      securityText(deps),
    ),
  ];
}

/** @throws Problem not_found without a contact: a file without one says nothing */
function securityText({ securityContact, publicUrl, now }: SiteFileDeps): string {
  if (securityContact === null) throw new Problem("not_found", "there is nothing at this path");
  const expires = new Date((Math.floor(now() / DAY_MS) + SECURITY_DAYS) * DAY_MS).toISOString();
  return [
    `Contact: ${securityContact}`,
    `Expires: ${expires}`,
    "Preferred-Languages: en, zh",
    `Canonical: ${publicUrl()}/.well-known/security.txt`,
    "",
  ].join("\n");
}

function fileRoute(
  path: string,
  name: Parameters<typeof named>[0],
  type: string,
  text: () => string | Buffer,
) {
  return defineRoute({
    path,
    ...named(name),
    tags: ["Pages"],
    auth: "public",
    responses: {},
    async handle({ headers }) {
      return replyWith(finish(text()), headers, "public, max-age=86400", { "Content-Type": type });
    },
  });
}
