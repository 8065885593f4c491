/**
 * Going from page to page within this load, so that the reader's key, which lives in it alone, is not lost. Without a
 * key links are links: the browser does it better.
 */
import { askPage } from "./browser.ts";
import { mountIslands } from "./island.ts";
import { currentKey } from "./readerKey.ts";

/** Paths that are pages; everything else is left to the browser. */
const PAGES = /^\/(?:$|tokens\/|reports\/|search$|status$|verify$|log$|docs(?:\/[a-z-]+)?$)/;

/** Lets links and the browser's back button go through here, as long as there is a key. */
export function startNavigating(changed: () => void): void {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !plain || event.defaultPrevented || link.target !== "" || link.download !== "")
      return;
    if (!isPage(link.href) || currentKey() === null) return;
    // Within the page the browser navigates itself.
    if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    void navigate(link.href, changed);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented || form.method !== "get") return;
    if (!isPage(form.action) || currentKey() === null) return;
    event.preventDefault();
    const fields = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
    void navigate(`${form.action}?${new URLSearchParams(fields)}`, changed);
  });
  addEventListener("popstate", () => {
    // To another place of the same page the browser navigates itself.
    if (addressOf(location.href) === shownAddress) return;
    if (currentKey() === null) location.reload();
    else void show(location.href, changed);
  });
}

/** Of the page that is shown, without the place in it. */
let shownAddress = addressOf(location.href);

function addressOf(href: string): string {
  const { pathname, search } = new URL(href, location.href);
  return pathname + search;
}

function isPage(href: string): boolean {
  const { origin, pathname } = new URL(href, location.href);
  return origin === location.origin && PAGES.test(pathname);
}

/** Goes to a page of the service: within this load while there is a key. @param changed told when it is there */
export async function navigate(href: string, changed: () => void = () => {}): Promise<void> {
  const shown = currentKey() !== null && isPage(href) ? await show(href, changed) : null;
  if (shown === null) location.assign(href);
  else history.pushState(null, "", shown);
}

/** @returns the page's address, after redirects; null: it cannot be shown this way */
async function show(href: string, changed: () => void): Promise<string | null> {
  const page = await askPage(href).catch(() => null);
  if (page === null) return null;
  const next = new DOMParser().parseFromString(page.text, "text/html");
  // Before what they are for: nothing is shown without its style.
  const styles = [...document.querySelectorAll("style")].map(({ textContent }) => textContent);
  for (const style of next.querySelectorAll("style"))
    if (!styles.includes(style.textContent)) document.head.append(document.adoptNode(style));
  for (const place of ["main", "header.top", "footer.foot"]) {
    const [from, to] = [next.querySelector(place), document.querySelector(place)];
    if (from === null || to === null) return null;
    // The key's own place lives on.
    const kept = to.querySelector("[data-island=key]");
    if (kept !== null) from.querySelector("[data-island=key]")?.replaceWith(kept);
    to.replaceWith(document.adoptNode(from));
  }
  document.title = next.title;
  document.documentElement.lang = next.documentElement.lang;
  const scripts = [...next.querySelectorAll("script[src]")].map((script) => script.getAttribute("src") ?? "");
  await Promise.all(
    scripts.filter((src) => src.startsWith("/assets/")).map((src) => import(/* @vite-ignore */ src)),
  );
  shownAddress = addressOf(page.url);
  mountIslands();
  changed();
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  return page.url;
}
