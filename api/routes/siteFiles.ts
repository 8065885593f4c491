/** Files that browsers, crawlers and researchers look for at fixed addresses. */
import { finish, replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
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

/** The mark as a Windows icon of 32 pixels; pages carry it as SVG. */
const FAVICON = Buffer.from(
  "AAABAAEAICAAAAEAIABZAwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAw5JREFUeJzEV01oE1EQntnUNDZs6h96UARBCirFi570KF4E6bF60VMtmK1I00Yq1tIqmKRam0QveqgnFRER/AHP1YOIl0pFwZO9iLSShLSmjW+cl7g/abLt7iaSD0J25s188+3b997sKtBkKNBktIBHBKPaQZ+AN4jwQyD25mLJd+ABnmfAR3AfEbcDYCcKuA0e4UmAOhjuQsBDus2zcJh9J8ED3AsYGVG4eGy1m30JOQYu4TpBzc+f5WIdUC2gQ11cOAMuga6iNa21PYDfOGtn7QCayyzBXkilCuAQrmZAbcPzFcUJnvDvqRmBu0oxLuB8BjQt1B6A77ziQuXaIAhwf5mEZvHfzRDBQpb8u2F8PO+E1vEMhDbioF68VJRoKhef/CJ/XPyB4UfYEsLCJae8jgQEhy7s4Hvr120iWllGuKrby0DD0mckIETKOQ0S4CvSMK/ygKXAnaV4ak43y9d41xzGgG+FrjjhXldAIBLew7d8znAQ5GGlZawqsOgbLY2Zgb2l3HoF+BGv85HrM+vTzezExMLqOOkjhFu6LXP8qFyDegQEo+FOJjplFC+t8Na4XXxW+GMyxhQBpyUHrIE1u6FPKPHKjUrFdiy8hAHNJqMgt2fRuruZ4wb/nbBJsD8H1IHwEQWVaWgABImjuUT6ba0x20eggDIJDcJaXDVnQLZbTnqm27zwfiLBLLgAn5IHeA1s020hoCs3nny+vgBuqaHF+c8VHY9EdyaRfgwuEIr2dbPoh6Yg+ppt27qP+YU1ruoRVLdbmnFbXCIbSz6Subpt164rBfT0bFAAR60uQoqCRxBhRU9QCMZkDVsB6qbWPmu75S01nY2lX4NHZBPJV5LDcDC3ujmg1RbA7ZYVDlsHEcRFqBOrOfgF9jJEIsEqAaEA9FvbLZ9oLzLx9AeoE5JDchkCZLtWliNVAljqcWviH0UMQYNQg+tYlQAk/GSO0718LD0DDUKJi78jTHpzdxi9IJNI9qhR7b28zv0qTEGDkflNYX6l+ygUKObiKUOMu7fi/4Cmf5w2XcBfAAAA//+Kuz9PAAAABklEQVQDADqdCyV0z1WEAAAAAElFTkSuQmCC",
  "base64",
);
