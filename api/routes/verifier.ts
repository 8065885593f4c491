/** The verifier as one file, which is the page `/verify` too, and what it hashes to. */
import { z } from "zod";
import { named } from "../docs/operations.ts";
import { type Finished, finish } from "../http/cache.ts";
import { replyWith } from "../http/cacheReply.ts";
import { Problem } from "../http/problems.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { Single, WebAssets } from "../pages/assets.ts";

/** The policy that the build put into the file, with the hashes of its script and its style; and nobody frames it. */
const policyOf = ({ text }: Single): string => {
  const [, policy = "default-src 'none'"] =
    /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
  return `${policy}; frame-ancestors 'none'`;
};

interface Served extends ReturnType<typeof named> {
  readonly path: string;
  readonly contentType: string;
  text(single: Single): string;
}

export function verifierRoutes(assets: WebAssets): Route[] {
  const file = {
    contentType: "text/html; charset=utf-8",
    text: ({ text }: Single) => text,
  };
  return [
    served(assets, { path: "/verify", ...named("verifierPage"), ...file }),
    served(assets, { path: "/verify.html", ...named("verifierFile"), ...file }),
    served(assets, {
      path: "/verify.html.sha256",
      ...named("verifierHash"),
      contentType: "text/plain; charset=utf-8",
      text: ({ sha256 }) => `${sha256}  verify.html\n`,
    }),
  ];
}

function served(assets: WebAssets, { contentType, text, ...words }: Served): Route {
  let finished: Finished | undefined;
  return defineRoute({
    ...words,
    tags: ["Pages"],
    auth: "public",
    params: z.object({}),
    responses: {},
    async handle({ headers }) {
      const single = assets.single();
      if (single === null) throw new Problem("not_found", "there is nothing at this path");
      finished ??= finish(text(single));
      const more = { "Content-Type": contentType, "Content-Security-Policy": policyOf(single) };
      return replyWith(finished, headers, "public, max-age=300", more);
    },
  });
}
