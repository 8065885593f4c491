/** The verifier as one file, which is the page `/verify` too, and what it hashes to. */
import { z } from "zod";
import { finish, replyWith } from "../http/cache.ts";
import { Problem } from "../http/problems.ts";
import type { Single } from "../pages/assets.ts";
import { once, route } from "../route.ts";

const HTML = "text/html; charset=utf-8";
const page = ({ text }: Single) => text;

export const verifierRoutes = [
  served("/verify", "verifierPage", "The verifier as a page", HTML, page),
  served("/verify.html", "verifierFile", "The verifier as one file that checks reports offline", HTML, page),
  served(
    "/verify.html.sha256",
    "verifierHash",
    "SHA-256 of that file, in the format of sha256sum",
    "text/plain; charset=utf-8",
    ({ sha256 }) => `${sha256}  verify.html\n`,
  ),
];

function served(
  path: string,
  operationId: string,
  summary: string,
  contentType: string,
  textOf: (single: Single) => string,
) {
  const finishedFile = once(({ webAssets }) => {
    const single = webAssets.single();
    return single && { finished: finish(textOf(single)), policy: policyOf(single) };
  });
  return route({
    path,
    operationId,
    summary,
    tags: ["Pages"],
    auth: "public",
    params: z.object({}),
    responses: {},
    async handle({ headers }, service) {
      const file = finishedFile(service);
      if (file === null) throw new Problem("not_found", "there is nothing at this path");
      const more = { "Content-Type": contentType, "Content-Security-Policy": file.policy };
      return replyWith(file.finished, headers, "public, max-age=300", more);
    },
  });
}

/** The policy that the build put into the file, with the hashes of its script and its style; and nobody frames it. */
function policyOf({ text }: Single): string {
  const [, policy = "default-src 'none'"] =
    /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
  return `${policy}; frame-ancestors 'none'`;
}
