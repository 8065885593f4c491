/** What every page has: times in the reader's zone, the reader's key, and the search. */
import { render } from "preact";
import { inZone, timeInZone } from "../format/time.ts";
import { island } from "../island.ts";
import { KeyPanel } from "../key/KeyPanel.tsx";
import { startNavigating } from "../navigate.ts";
import { mountSearch } from "../search/search.ts";

function showTimes(): void {
  const language = document.documentElement.lang;
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-moment]"))
    time.firstElementChild?.replaceChildren(inZone(time.dateTime, { language }));
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
    time.replaceChildren(timeInZone(time.dateTime, { language }));
}

showTimes();
island("key", (root) => {
  render(<KeyPanel />, root);
  return () => render(null, root);
});
island("search", (root) => mountSearch(root as HTMLFormElement));
startNavigating(showTimes);
