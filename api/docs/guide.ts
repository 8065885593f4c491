/** /docs/first-trade and its neighbours: the documents for people, as the build rendered them (`build/guides.ts`). */
import type { Guide, WebAssets } from "../pages/assets.ts";
import { escapeHtml, html, join, raw } from "../pages/html.ts";
import { pathFor } from "../pages/language.ts";
import type { Page } from "../pages/page.ts";
import { documents, EXAMPLE } from "./documents.ts";
import DOCS_WORDS from "./words.json" with { type: "json" };

interface GuideDeps {
  readonly webAssets: WebAssets;
  /** Where clients find the service. */
  publicUrl(): string;
}

export function guidePages(deps: GuideDeps): Page<unknown, unknown>[] {
  return [...deps.webAssets.guides].map(([name, guide]) => guidePage(name, guide, deps));
}

function guidePage(name: string, guide: Guide, deps: GuideDeps): Page<unknown, unknown> {
  const path = `/docs/${name}`;
  const about = documents.get(`${name}.md`)?.about;
  return {
    path,
    name: `guide ${name}`,
    key: () => "",
    async content({ reader }) {
      const words = DOCS_WORDS[reader.language];
      const text = guide.html
        .replaceAll(EXAMPLE, escapeHtml(deps.publicUrl()))
        .replace(/(?<=<a href=")\/docs\/[^"]*/g, (target) => escapeHtml(pathFor(reader, target)));
      const others = [...deps.webAssets.guides].map(
        ([other, { title }]) =>
          html`<li><a href="${pathFor(reader, `/docs/${other}`)}"${other === name ? raw(' aria-current="page"') : ""}>${title}</a></li>\n`,
      );
      return {
        title: guide.title,
        ...(about === undefined || reader.language !== "en"
          ? {}
          : { description: `${guide.title}: ${about}` }),
        style: "docs",
        source: `${path}.md`,
        main: html`<div class="docs guide"><div class="reference">
${words.guideEnglish === "" ? "" : html`<p class="soft">${words.guideEnglish}</p>`}
<article lang="en">${raw(text)}</article></div>
<nav class="toc" aria-label="${words.guides}"><p>${words.guides}</p><ul lang="en">${join(others)}</ul>
<p><a href="${pathFor(reader, "/docs")}">${words.title}</a></p></nav></div>`,
      };
    },
  };
}
