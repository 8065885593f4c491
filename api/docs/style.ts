/** The look of the reference page. Its hash stands in the page's Content-Security-Policy. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dfe7; --back: #fff; --box: #f5f7fa; --link: #0b5cad; --get: #0b6b3a; --post: #8a4b00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa6b5; --line: #333d4a; --back: #12171e; --box: #1a212b; --link: #7ab8ff; --get: #5fd394; --post: #f0b35a; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 15px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: var(--ink); background: var(--back); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { background: var(--box); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
pre { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: .7em .9em; overflow-x: auto; margin: .6em 0; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 78rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: 13px; }
nav h2 { font-size: 12px; text-transform: uppercase; letter-spacing: .05em; color: var(--soft); margin: 1.2em 0 .3em; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li { margin: .15em 0; overflow-wrap: anywhere; }
nav a { color: var(--ink); }
main { padding: 1.5rem 2rem 4rem; min-width: 0; }
h1 { margin: 0; font-size: 1.8rem; } h1 small { font-size: .95rem; font-weight: normal; color: var(--soft); }
main h2 { margin: 2.6rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); font-size: 1.3rem; }
h4 { margin: 1.1em 0 .3em; font-size: .95rem; }
article { border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; margin: 0 0 1.1rem; }
article h3 { margin: 0; font-size: 1rem; display: flex; gap: .6em; align-items: baseline; flex-wrap: wrap; }
article h3 code { font-size: 14px; background: none; padding: 0; }
.method { font: bold 12px/1 ui-monospace, monospace; min-width: 2.6em; color: var(--get); } .method.post { color: var(--post); }
.auth { margin-left: auto; font-size: 12px; font-weight: normal; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: 0 .7em; }
p { margin: .45em 0; } .soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: .35em .8em .35em 0; border-bottom: 1px solid var(--line); }
th { font-size: 12px; color: var(--soft); font-weight: 600; }
td:first-child { white-space: nowrap; } td.type { min-width: 9em; }
.required { color: var(--post); font-size: 12px; }
@media (max-width: 52rem) { .page { display: block; } nav { position: static; max-height: none; border-right: 0; border-bottom: 1px solid var(--line); } nav .schemas { display: none; } main { padding: 1.2rem 1rem 3rem; } }
@media print { nav { display: none; } .page { display: block; } article { break-inside: avoid; } }
`;
