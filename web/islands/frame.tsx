/** What every page has: times in the reader's zone. */
import { clockText, momentText, zoneText } from "../../attestor/view/times.ts";
import { pageLanguage } from "../words.ts";

const zoned = { language: pageLanguage() };
const msOf = (time: HTMLTimeElement) => Date.parse(time.dateTime);
for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-moment]"))
  time.firstElementChild?.replaceChildren(momentText(msOf(time), zoned));
for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
  time.replaceChildren(`${clockText(msOf(time), zoned)} ${zoneText(msOf(time), zoned)}`);
