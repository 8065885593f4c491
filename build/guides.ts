/** The Markdown documents that the service serves, as HTML for its pages: code is coloured, links lead to their neighbours. */
import { createRequire } from "node:module";
import { Marked, Renderer, type Tokens } from "marked";
import { documentOf, documents, EXAMPLE } from "../api/docs/documents.ts";
import { escapeHtml } from "../api/pages/html.ts";

const require = createRequire(import.meta.url);
/** Without its own types: they would bring those of browsers into the whole program. */
const hljs = require("highlight.js/lib/common") as {
  getLanguage(name: string): object | undefined;
  highlight(text: string, options: { language: string }): { readonly value: string };
};

/** By the name of the page under `/docs/`. Addresses of a service are still those of the example. */
export function renderGuides(): Record<string, { title: string; html: string }> {
  const names = [...documents.keys()].filter((name) => name.endsWith(".md"));
  return Object.fromEntries(names.map((name) => [name.slice(0, -".md".length), renderGuide(name)]));
}

function renderGuide(name: string): { title: string; html: string } {
  const document = documentOf(name, EXAMPLE);
  if (document === null) throw new Error(`the document ${name} is missing`);
  const ids = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${idOf(text, ids)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === null ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
      table(token) {
        // Cells of a column without a head are the heads of their rows.
        if (token.header[0]?.text === "") for (const [first] of token.rows) if (first) first.header = true;
        return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      code: codeOf,
      // A document is Markdown alone: what looks like HTML is shown.
      html: ({ text }) => escapeHtml(text),
    },
  });
  const title = /^# (.+)$/m.exec(document.text)?.[1] ?? name;
  return { title: title.replaceAll("`", ""), html: marked.parse(document.text, { async: false }) };
}

/** A heading's place, by GitHub's rule, which the documents' own links follow. */
function idOf(heading: string, taken: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** null: what this leads to is not served. */
function targetOf(href: string): string | null {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const [file = "", place] = href.split("#");
  if (!documents.has(file)) return null;
  return `/docs/${file.replace(/\.md$/, "")}${place === undefined ? "" : `#${place}`}`;
}

/** The word behind the language is the file's name where it has a dot. */
function codeOf({ text, lang = "" }: Tokens.Code): string {
  const [language = "", file = ""] = lang.split(" ");
  const code = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escapeHtml(text);
  const name = file.includes(".") ? `<p class="file"><code>${escapeHtml(file)}</code></p>\n` : "";
  return `${name}<pre tabindex="0"><code>${code}</code></pre>\n`;
}
