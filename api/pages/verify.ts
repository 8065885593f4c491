/** /verify: a report that the reader has, judged in the page; and the ways to do it without this service. */
import type { WebAssets } from "./assets.ts";
import { type Html, html, join, raw } from "./html.ts";
import { type Language, pathFor } from "./language.ts";
import type { Page } from "./page.ts";
import { type ServiceWord, type ServiceWordDeps, serviceProps, serviceWord } from "./serviceWord.ts";
import REPORT_PAGE_WORDS from "./words/report.json" with { type: "json" };

export interface VerifyPageDeps extends ServiceWordDeps {
  readonly webAssets: WebAssets;
}

export function verifyPage(deps: VerifyPageDeps): Page<unknown, unknown> {
  return {
    path: "/verify",
    name: "verify",
    key: () => "",
    async content({ reader }) {
      const { language } = reader;
      const words = REPORT_PAGE_WORDS[language];
      const word = await serviceWord(deps);
      const verifierHash = deps.webAssets.single()?.sha256 ?? null;
      return {
        title: words.verifyTitle,
        description: words.verifyLead,
        islands: ["verify"],
        main: html`<h1>${words.verifyTitle}</h1>
<p class="lead soft">${words.verifyLead} <a href="${pathFor(reader, "/docs/verify")}">${words.guide}</a></p>
<div data-island="verify" data-props="${serviceProps(word)}"><noscript><p>${words.byScript}</p></noscript></div>
${elsewhere(verifierHash, language)}
${says(word, language)}`,
      };
    },
  };
}

function elsewhere(verifierHash: string | null, language: Language): Html {
  const words = REPORT_PAGE_WORDS[language];
  return html`<section class="part after"><h2>${words.elsewhere}</h2>
${
  verifierHash === null
    ? html`<p>${words.noFile}</p>`
    : html`<p>${words.file} <a href="/verify.html" download="verify.html">verify.html</a></p>
<p class="soft">${words.hash} <code>${verifierHash}</code></p>`
}
<p>${words.command} <code>npm run assay -- verify report.json</code></p></section>`;
}

function says({ chainId, guard, signers, logKeys }: ServiceWord, language: Language): Html {
  const words = REPORT_PAGE_WORDS[language];
  const row = (name: string, values: readonly string[]) =>
    html`<div><dt>${name}</dt><dd>${join(
      values.map((value, index) => html`${index === 0 ? "" : raw("<br>")}<code>${value}</code>`),
    )}</dd></div>`;
  return html`<section class="part after"><h2>${words.serviceSays}</h2><p class="soft">${words.serviceHint}</p>
<dl class="rows">${row(words.guard, [`${chainId}:${guard}`])}${row(words.signer, signers)}${row(words.logKey, logKeys)}</dl></section>`;
}
