/** The first page: what this is, and the market at a glance. */
import { html } from "./html.ts";
import { translated } from "./language.ts";
import type { Page } from "./page.ts";

const WORDS = translated(
  { title: "The market of tokenized US stocks, checked" },
  { title: "经过核验的代币化美股市场" },
);

export function homePage(): Page<object, object> {
  return {
    path: "/",
    name: "home",
    browsersAlone: true,
    key: () => "",
    async content({ reader }) {
      const words = WORDS[reader.language];
      return { title: words.title, main: html`<h1>${words.title}</h1>` };
    },
  };
}
