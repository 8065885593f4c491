/**
 * /sign: mandates that the reader's own wallet grants and revokes, and single trades that it signs. Which trade, the address
 * says in its fragment, of which the service hears nothing.
 */
import type { Deployment } from "../../chain/deployment.ts";
import { policiesAnswer } from "../jobs/operations.ts";
import { html } from "./html.ts";
import type { Page } from "./page.ts";
import type { ServiceWordDeps } from "./serviceWord.ts";
import SIGN_PAGE_WORDS from "./words/sign.json" with { type: "json" };

export function signPage({ deployment }: Pick<ServiceWordDeps, "deployment">): Page<unknown, unknown> {
  const { guard, registry, mandates } = deployment;
  const { chainId } = registry;
  const terms = mandates === undefined ? null : termsOf(deployment, mandates);
  return {
    path: "/sign",
    name: "sign",
    key: () => "",
    async content({ reader: { language } }) {
      const words = SIGN_PAGE_WORDS[language];
      const row = (name: string, value: string) =>
        html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`;
      return {
        title: words.title,
        description: words.lead,
        islands: ["sign"],
        style: "sign",
        main: html`<h1>${words.title}</h1>
<p class="lead soft">${words.lead}</p>
<div class="signing" data-island="sign" data-props="${JSON.stringify({ place: { chainId, guard }, terms })}"><noscript><p>${words.byScript} <code>npm run guard -- mandate</code></p></noscript>${
          terms === null ? html`<p>${words.nothingHere}</p>` : ""
        }</div>
<section class="part after"><h2>${words.contracts}</h2><p class="soft">${words.contractsHint}</p>
<dl class="rows">${row(words.chain, String(chainId))}${row(words.guard, guard)}${
          mandates === undefined
            ? ""
            : html`${row(words.module, mandates.module)}${row(words.setup, mandates.setup)}`
        }</dl></section>`,
      };
    },
  };
}

/** What the page needs to grant mandates. */
function termsOf(
  { guard, registry: { chainId, assets } }: ServiceWordDeps["deployment"],
  mandates: NonNullable<Deployment["mandates"]>,
) {
  return {
    ...mandates,
    chainId,
    guard,
    tokens: assets.map(({ symbol, address, decimals, kind }) => ({ symbol, address, decimals, kind })),
    policies: policiesAnswer().policies.map(({ policyId, version, definitionHash }) => ({
      name: `${policyId} ${version}`,
      hash: definitionHash,
    })),
  };
}
