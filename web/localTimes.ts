/** Times in the reader's zone, also in what scripts put there later. */
import type { Language } from "../attestor/view/language.ts";
import { clockText, hourSpanText, hourText, momentText, zoneText } from "../attestor/view/times.ts";

const FORMS: Readonly<Record<string, (ms: number, language: Language) => string>> = {
  moment: (ms, language) => momentText(ms, { language }),
  clock: (ms, language) => `${clockText(ms, { language })} ${zoneText(ms, { language })}`,
  hour: (ms, language) => hourText(ms, { language }),
  span: (ms, language) => `${hourSpanText(ms, { language })} ${zoneText(ms, { language })}`,
};

/** A page's own part may be in English alone. */
const languageOf = (element: Element): Language =>
  element.closest("[lang]")?.getAttribute("lang")?.startsWith("zh") ? "zh" : "en";

/** Changes the text in its node, which stays the one that a component has made. */
function write(element: Element, text: string): void {
  if (element.firstChild instanceof Text && element.firstChild.data !== text) element.firstChild.data = text;
}

function toReadersZone(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-time]")) {
    const ms = Date.parse(time.dateTime);
    const text = FORMS[time.dataset.time ?? ""]?.(ms, languageOf(time));
    if (text !== undefined) write(time, text);
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const head of document.querySelectorAll("[data-zone]")) write(head, timeZone);
}

export function showLocalTimes(): void {
  toReadersZone();
  const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["datetime"] };
  new MutationObserver(toReadersZone).observe(document.body, changes);
}
