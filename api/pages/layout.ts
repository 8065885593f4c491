/** The frame of every page: head, header, footer. */
import type { StyleName, WebAssets } from "./assets.ts";
import { type Html, html, join, raw } from "./html.ts";
import { LANGUAGES, pathFor, type Reader } from "./language.ts";
import FRAME_WORDS from "./words/frame.json" with { type: "json" };

/** What a page is, before its frame. */
export interface Content {
  readonly title: string;
  readonly description?: string;
  readonly main: Html;
  /** The page's own texts are in English alone; its frame is in the reader's language. */
  readonly inEnglish?: true;
  /** Names of `web/islands/` that bring it to life. */
  readonly islands?: readonly string[];
  /** Beside the one of every page. */
  readonly style?: StyleName;
  /** The JSON behind the page. */
  readonly source?: string;
}

export interface Frame {
  readonly assets: WebAssets;
  readonly reader: Reader;
  /** Of this page, with its query and without its language. */
  readonly path: string;
  readonly simulated: boolean;
  readonly version: string;
  /** Where the service is found, without a slash at its end. */
  readonly origin: string;
}

const NAMES = { en: "English", zh: "中文" } as const;
/** Every page has it: times in the reader's zone. */
const EVERYWHERE = ["frame"];
/** Two marks of one weight: what is stated, and what is seen. */
const MARK = raw(
  `<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M3 20 12 3l9 17M7.6 13.5h8.8" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`,
);
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='M3 20 12 3l9 17M7.6 13.5h8.8' fill='none' stroke='%230f766e' stroke-width='2.8' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

export function layout(content: Content, frame: Frame): string {
  const { reader, assets, version } = frame;
  const words = FRAME_WORDS[reader.language];
  const description = content.description ?? words.tagline;
  return html`<!doctype html>
<html lang="${reader.language === "zh" ? "zh-CN" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${content.title} · Assay</title>
<meta name="description" content="${description}">
<meta property="og:site_name" content="Assay">
<meta property="og:type" content="website">
<meta property="og:title" content="${content.title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${frame.origin}${frame.path.split("?")[0]}">
<meta property="og:locale" content="${reader.language === "zh" ? "zh_CN" : "en_US"}">
<link rel="icon" href="${ICON}">
<style>${raw(assets.styles.page)}</style>
${content.style === undefined ? "" : html`<style>${raw(assets.styles[content.style])}</style>`}
${assetLinks(content, assets)}
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
${header(frame)}
<main id="main" tabindex="-1"${content.inEnglish ? raw(' lang="en"') : ""}>
${content.main}
</main>
${footer(content, frame, version)}
</body>
</html>
`.text;
}

function assetLinks({ islands = [] }: Content, assets: WebAssets): Html {
  const entries = [...new Set([...EVERYWHERE, ...islands])].flatMap(
    (name) => assets.entry(`islands/${name}.tsx`) ?? [],
  );
  const unique = (pick: (entry: (typeof entries)[number]) => readonly string[]) => [
    ...new Set(entries.flatMap(pick)),
  ];
  return join([
    ...unique(({ preloads }) => preloads).map((href) => html`<link rel="modulepreload" href="${href}">\n`),
    ...unique(({ script }) => [script]).map((src) => html`<script type="module" src="${src}"></script>\n`),
  ]);
}

function header({ reader, path, simulated }: Frame): Html {
  const words = FRAME_WORDS[reader.language];
  const pages = [
    ["/", words.home],
    ["/verify", words.verify],
    ["/status", words.status],
    ["/docs", words.docs],
  ] as const;
  const here = path.split(/[?#]/)[0];
  return html`<header class="top">
<div class="bar">
<a class="brand" href="${pathFor(reader, "/")}">${MARK}<span>Assay</span></a>
<nav aria-label="${words.pages}">${join(
    pages.map(
      ([to, name]) =>
        html`<a href="${pathFor(reader, to)}"${to === here ? raw(' aria-current="page"') : ""}>${name}</a>`,
    ),
  )}</nav>
</div>
${simulated ? html`<p class="notice">${words.simulated}</p>` : ""}
</header>`;
}

function footer(content: Content, { reader, path }: Frame, version: string): Html {
  const words = FRAME_WORDS[reader.language];
  return html`<footer class="foot"><div class="bar">
<p>Assay ${version}. ${words.alpha}${content.source === undefined ? "" : html` <a href="${content.source}">${words.dataBehind}</a>`}</p>
<nav class="languages" aria-label="${words.language}">${join(
    LANGUAGES.map((language) =>
      language === reader.language
        ? html`<span lang="${language}">${NAMES[language]}</span>`
        : html`<a lang="${language}" hreflang="${language}" rel="alternate" href="${pathFor({ language, explicit: true }, path)}">${NAMES[language]}</a>`,
    ),
  )}</nav>
</div></footer>`;
}
