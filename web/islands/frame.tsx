/** What every page has: times in the reader's zone, the reader's key, and the search. */
import { render } from "preact";
import { clockText, momentText, zoneText } from "../../attestor/view/times.ts";
import { island } from "../island.ts";
import { KeyPanel } from "../key/KeyPanel.tsx";
import { startNavigating } from "../navigate.ts";
import { mountSearch } from "../search/search.ts";
import { pageLanguage } from "../words.ts";

function showTimes(): void {
  const zoned = { language: pageLanguage() };
  const msOf = (time: HTMLTimeElement) => Date.parse(time.dateTime);
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-moment]"))
    time.firstElementChild?.replaceChildren(momentText(msOf(time), zoned));
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
    time.replaceChildren(`${clockText(msOf(time), zoned)} ${zoneText(msOf(time), zoned)}`);
}

showTimes();
island("key", (root) => {
  render(<KeyPanel />, root);
  return () => render(null, root);
});
island("search", (root) => mountSearch(root as HTMLFormElement));
startNavigating(showTimes);
