/** What every page has: times in the reader's zone. */
import { inZone } from "../format/time.ts";

for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-moment]")) {
  const first = time.firstElementChild;
  if (first) first.textContent = inZone(time.dateTime, { language: document.documentElement.lang });
}
