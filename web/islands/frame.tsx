/** What every page has: times in the reader's zone. */
import { clockText, momentText, zoneText } from "../../attestor/view/times.ts";
import { pageLanguage } from "../words.ts";

/** A page's own part may be in English alone. */
const zonedOf = (time: HTMLTimeElement) => ({
  language: time.closest("main[lang=en]") === null ? pageLanguage() : ("en" as const),
});
const msOf = (time: HTMLTimeElement) => Date.parse(time.dateTime);
for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-moment]"))
  time.firstElementChild?.replaceChildren(momentText(msOf(time), zonedOf(time)));
for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-clock]"))
  time.replaceChildren(`${clockText(msOf(time), zonedOf(time))} ${zoneText(msOf(time), zonedOf(time))}`);
