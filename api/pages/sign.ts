/** /sign: mandates that the reader's own wallet grants and revokes. The service hears nothing of what is signed there. */
import { policiesAnswer } from "../jobs/operations.ts";
import { html } from "./html.ts";
import type { Page } from "./page.ts";
import type { ServiceWordDeps } from "./serviceWord.ts";
import SIGN_PAGE_WORDS from "./words/sign.json" with { type: "json" };

export function signPage({ deployment }: Pick<ServiceWordDeps, "deployment">): Page<unknown, unknown> {
  const { guard, registry, mandates } = deployment;
  return {
    path: "/sign",
    name: "sign",
    key: () => "",
    async content({ reader: { language } }) {
      const words = SIGN_PAGE_WORDS[language];
      const heading = html`<h1>${words.title}</h1>`;
      if (mandates === undefined)
        return {
          title: words.title,
          status: 404,
          main: html`<section class="sheet">${heading}<p>${words.nothingHere}</p></section>`,
        };
      const { chainId, assets } = registry;
      const terms = {
        ...mandates,
        chainId,
        guard,
        tokens: assets.map(({ symbol, address, decimals, kind }) => ({ symbol, address, decimals, kind })),
        policies: policiesAnswer().policies.map(({ policyId, version, definitionHash }) => ({
          name: `${policyId} ${version}`,
          hash: definitionHash,
        })),
      };
      const row = (name: string, value: string) =>
        html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`;
      return {
        title: words.title,
        description: words.lead,
        islands: ["sign"],
        main: html`${heading}
<p class="lead soft">${words.lead}</p>
<div data-island="sign" data-props="${JSON.stringify({ terms })}"><noscript><p>${words.byScript} <code>npm run guard -- mandate</code></p></noscript></div>
<section class="part after"><h2>${words.contracts}</h2><p class="soft">${words.contractsHint}</p>
<dl class="rows">${row(words.chain, String(chainId))}${row(words.guard, guard)}${row(words.module, mandates.module)}${row(words.setup, mandates.setup)}</dl></section>`,
      };
    },
  };
}
