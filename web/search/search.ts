/** The search with script: what is secret is kept out of the address, and pages change without losing the key. */
import { navigate } from "../navigate.ts";
import { pageLanguage } from "../words.ts";
import WORDS from "./words.json" with { type: "json" };

/** API keys and job tokens, wherever in the text. */
const SECRET = /\b(?:ak|jt|st)_[A-Za-z0-9_-]{20,}/;

export function mountSearch(form: HTMLFormElement): void {
  form.addEventListener("submit", (event) => {
    const input = form.querySelector<HTMLInputElement>("input[name=q]");
    if (input === null) return;
    event.preventDefault();
    const asked = input.value.trim();
    if (asked === "") return input.focus();
    if (SECRET.test(asked)) {
      input.value = "";
      input.setCustomValidity(WORDS[pageLanguage()].secret);
      input.reportValidity();
      input.addEventListener("input", () => input.setCustomValidity(""), { once: true });
      return;
    }
    const query = new URLSearchParams({ q: asked });
    const lang = form.querySelector<HTMLInputElement>("input[name=lang]")?.value;
    if (lang !== undefined) query.set("lang", lang);
    void navigate(`/search?${query}`);
  });
}
