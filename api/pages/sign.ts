/**
 * /sign: single trades that the reader's own wallet signs. Which trade, the address says in its fragment, of which the
 * service hears nothing.
 */
import { html } from "./html.ts";
import type { Page } from "./page.ts";
import type { ServiceWordDeps } from "./serviceWord.ts";
import words from "./words/sign.json" with { type: "json" };

export function signPage({ deployment }: Pick<ServiceWordDeps, "deployment">): Page<unknown, unknown> {
  const { guard, registry } = deployment;
  const { chainId } = registry;
  return {
    path: "/sign",
    name: "sign",
    key: () => "",
    async content() {
      const row = (name: string, value: string) =>
        html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`;
      return {
        title: words.title,
        description: words.lead,
        inEnglish: true,
        islands: ["sign"],
        style: "sign",
        main: html`<h1>${words.title}</h1>
<p class="lead soft">${words.lead}</p>
<div class="signing" data-island="sign" data-props="${JSON.stringify({ place: { chainId, guard } })}"><noscript><p>${words.byScript}</p></noscript></div>
<section class="part after"><h2>${words.contracts}</h2><p class="soft">${words.contractsHint}</p>
<dl class="rows">${row(words.chain, String(chainId))}${row(words.guard, guard)}</dl></section>`,
      };
    },
  };
}
