/** The frame of every page: head, header, footer. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { LANGUAGES } from "../../attestor/view/language.ts";
import { PageLink, ReaderContext } from "../parts.tsx";
import { type Frame, pathFor } from "../props.ts";
import FRAME_WORDS from "../words/frame.json" with { type: "json" };

/** What a page is, before its frame. */
export interface Content {
  readonly title: string;
  readonly description?: string;
  readonly main: ComponentChildren;
  /** The page's own texts are in English alone; its frame is in the reader's language. */
  readonly inEnglish?: boolean;
  /** The JSON behind the page. */
  readonly source?: string;
  /** Entries of `web/islands/` that the page needs beside `times`. */
  readonly islands?: readonly string[];
  /** A packaged viewer, which draws the page's main part itself, below our own. */
  readonly viewer?: { readonly script: string; readonly style: string } | null;
}

const LANGUAGE_NAMES = { en: "English", zh: "中文" } as const;
const MARK = "M3 20 12 3l9 17M7.6 13.5h8.8";
const ICON = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Cpath d='${MARK}' fill='none' stroke='%230f766e' stroke-width='2.8' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E`;

export function Document({ content, frame }: { content: Content; frame: Frame }) {
  const { language } = frame;
  return (
    <html lang={language === "zh" ? "zh-CN" : "en"}>
      <Head content={content} frame={frame} />
      <body>
        <ReaderContext.Provider value={frame}>
          <a class="skip" href="#main">
            {FRAME_WORDS[language].skip}
          </a>
          <Header frame={frame} />
          <Main content={content} frame={frame} />
          {content.viewer ? <div class="page" id="viewer" lang="en" /> : null}
          <Footer source={content.source} frame={frame} />
        </ReaderContext.Provider>
      </body>
    </html>
  );
}

function Main({ content, frame }: { content: Content; frame: Frame }) {
  const { main, inEnglish = false, viewer } = content;
  const shown = inEnglish ? (
    <ReaderContext.Provider value={{ language: "en", explicit: frame.explicit }}>
      {main}
    </ReaderContext.Provider>
  ) : (
    main
  );
  const lang = inEnglish ? "en" : undefined;
  if (viewer)
    return (
      <section class="page" id="main" tabIndex={-1} lang={lang} aria-labelledby="title">
        {shown}
      </section>
    );
  return (
    <main class="page" id="main" tabIndex={-1} lang={lang}>
      {shown}
    </main>
  );
}

function Head({ content, frame }: { content: Content; frame: Frame }) {
  const { language, origin, path, style } = frame;
  const { title, description = FRAME_WORDS[language].tagline, viewer } = content;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} · Assay`}</title>
      <meta name="description" content={description} />
      <meta property="og:site_name" content="Assay" />
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={`${origin}${path.split("?")[0]}`} />
      <meta property="og:locale" content={language === "zh" ? "zh_CN" : "en_US"} />
      <link rel="icon" href={ICON} />
      <style dangerouslySetInnerHTML={{ __html: style }} />
      {viewer ? <link rel="stylesheet" href={viewer.style} /> : null}
      {viewer ? <script defer src={viewer.script} /> : null}
      <Scripts content={content} frame={frame} />
    </head>
  );
}

/** Islands first ask for the modules that they share. */
function Scripts({ content: { islands = [] }, frame }: { content: Content; frame: Frame }) {
  const entries = ["times.ts", ...islands].flatMap((name) => frame.entry(`islands/${name}`) ?? []);
  const preloads = new Set(entries.flatMap((entry) => entry.preloads));
  return (
    <>
      {[...preloads].map((href) => (
        <link rel="modulepreload" href={href} />
      ))}
      {entries.map(({ script }) => (
        <script type="module" src={script} />
      ))}
    </>
  );
}

function Header({ frame: { path, simulated, language } }: { frame: Frame }) {
  const words = FRAME_WORDS[language];
  const here = path.split(/[?#]/)[0];
  const pages = [
    ["/", words.home],
    ["/verify", words.verify],
    ["/status", words.status],
    ["/docs", words.docs],
  ] as const;
  return (
    <header class="top">
      <div class="bar">
        <Brand />
        <nav aria-label={words.pages}>
          {pages.map(([to, name]) => (
            <NavLink to={to} name={name} isHere={to === here} />
          ))}
        </nav>
      </div>
      {simulated ? <p class="notice">{words.simulated}</p> : null}
    </header>
  );
}

function NavLink({ to, name, isHere }: { to: string; name: string; isHere: boolean }) {
  const reader = useContext(ReaderContext);
  return (
    <a href={pathFor(reader, to)} aria-current={isHere ? "page" : undefined}>
      {name}
    </a>
  );
}

/** Two marks of one weight: what is stated, and what is seen. */
function Brand() {
  const reader = useContext(ReaderContext);
  return (
    <a class="brand" href={pathFor(reader, "/")}>
      <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <path
          d={MARK}
          fill="none"
          stroke="currentColor"
          stroke-width="2.4"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
      <span>Assay</span>
    </a>
  );
}

function Footer({ source, frame: { language, path, version } }: { source?: string; frame: Frame }) {
  const words = FRAME_WORDS[language];
  return (
    <footer class="foot">
      <div class="bar">
        <p>
          Assay {version}. {words.alpha}{" "}
          {source === undefined ? null : <a href={source}>{words.dataBehind}</a>}
        </p>
        <nav class="languages" aria-label={words.language}>
          {LANGUAGES.map((each) =>
            each === language ? (
              <span lang={each}>{LANGUAGE_NAMES[each]}</span>
            ) : (
              <a
                lang={each}
                hreflang={each}
                rel="alternate"
                href={pathFor({ language: each, explicit: true }, path)}
              >
                {LANGUAGE_NAMES[each]}
              </a>
            ),
          )}
        </nav>
      </div>
    </footer>
  );
}

/** What a page says that cannot be shown. @param detail in English */
export function refusedContent(
  { status, detail }: { status: number; detail: string },
  frame: Frame,
): Content {
  const words = FRAME_WORDS[frame.language];
  const isMissing = status === 404;
  const title = isMissing ? words.notFound : words.failed;
  // What is wrong is told in English alone; that nothing is there, in every language.
  const told = frame.language === "en" ? detail : "";
  const text = told === "" && isMissing ? words.noPage : told;
  return {
    title,
    main: (
      <div class="sheet">
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <PageLink to="/">{words.back}</PageLink>
        </p>
      </div>
    ),
  };
}
