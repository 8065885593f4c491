/** A token's page: its charts, other days without a new load, and the CSV. */
import { hourSpanText, hourText, zoneText } from "../../attestor/view/times.ts";
import { askPage, saveFile } from "../browser.ts";
import { island } from "../island.ts";
import { readBlock } from "../series/block.ts";
import { csvName, csvOfToken } from "../series/csvRows.ts";
import { modelOf } from "../series/model.ts";
import { drawTokenCharts } from "../series/tokenCharts.ts";
import type { ChartWords } from "../series/words.ts";
import { type Language, pageLanguage } from "../words.ts";

island<ChartWords>("token", (root, words) => {
  let end = bringToLife(root, words);
  let asked = 0;

  /** Takes the part of the page for these days from the server, and puts it in the place of the present one. */
  async function show(days: string): Promise<void> {
    const mine = ++asked;
    say(root, words.loading);
    try {
      const next = await partOf(root.dataset, days);
      if (mine !== asked) return;
      const focused =
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset.days : undefined;
      end();
      root.replaceChildren(...next.childNodes);
      end = bringToLife(root, words);
      if (focused !== undefined) root.querySelector<HTMLElement>(`[data-days="${days}"]`)?.focus();
    } catch (error) {
      if (mine === asked)
        say(
          root,
          `${words.failed} ${error instanceof Error && pageLanguage() === "en" ? error.message : ""}`.trim(),
        );
    }
  }

  root.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const link = target?.closest<HTMLAnchorElement>("a[data-days]");
    if (link?.dataset.days === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.replaceState(null, "", link.href);
    void show(link.dataset.days);
  });
});

/** @throws Error with the service's refusal */
async function partOf({ path, lang }: DOMStringMap, days: string): Promise<Element> {
  const query = new URLSearchParams({ days, ...(lang ? { lang } : {}) });
  const page = await askPage(`${path}?${query}`);
  const part = new DOMParser().parseFromString(page, "text/html").querySelector("#token");
  if (part === null) throw new Error("");
  return part;
}

function say(root: HTMLElement, text: string): void {
  const status = root.querySelector("[role=status]");
  if (status) status.textContent = text;
}

/** @returns ends it, before its place is taken by another part */
function bringToLife(root: HTMLElement, words: ChartWords): () => void {
  toReadersZone(root, words.language);
  const text = root.querySelector("#series")?.textContent;
  // Without figures there is nothing to draw: the database is away.
  if (!text) return () => {};
  const model = modelOf(readBlock(text));
  const end = drawTokenCharts(root, model, words);
  root
    .querySelector("[data-csv]")
    ?.addEventListener("click", () => saveFile(csvName(model), csvOfToken(model), "text/csv;charset=utf-8"));
  return end;
}

/** Hours, which the server told in UTC. */
function toReadersZone(root: HTMLElement, language: Language): void {
  const times = [...root.querySelectorAll<HTMLTimeElement>("time[data-hour]")];
  const msOf = (time: HTMLTimeElement) => Date.parse(time.dateTime);
  for (const time of times)
    time.textContent = (time.dataset.hour === "span" ? hourSpanText : hourText)(msOf(time), { language });
  // The hours beside the zone's short name are the newest; a table may reach over a change of clocks.
  const newest = Math.max(0, ...times.map(msOf));
  for (const place of root.querySelectorAll("[data-zone-now]"))
    place.textContent = zoneText(newest, { language });
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const head of root.querySelectorAll("[data-zone]"))
    head.textContent = (head.textContent ?? "").replace("UTC", timeZone);
}
