/** Which session the US stock market is in, and until when. */
import { sessionAt } from "../../attestor/calendar.ts";
import { moment } from "./format.ts";
import { type Html, html } from "./html.ts";
import type { Language } from "./language.ts";
import SESSION_WORDS from "./words/session.json" with { type: "json" };
import STATE_WORDS from "./words/states.json" with { type: "json" };

export interface SessionView {
  readonly name: string;
  readonly detail: Html | string;
}

interface Standing {
  readonly state: keyof (typeof STATE_WORDS)["en"] | null;
  readonly halted: boolean;
}

/** How a point's sources stand to each other, and whether its market stands still; empty: there is no figure. */
export function standing({ state, halted }: Standing, language: Language): string {
  const words = STATE_WORDS[language];
  return [state === null ? [] : words[state], halted ? words.halted : []].flat().join(", ");
}

/** @param now unix seconds @param simulated the simulated market never closes */
export function sessionView(now: number, simulated: boolean, language: Language): SessionView {
  const words = SESSION_WORDS[language];
  if (simulated) return { name: words.regular, detail: words.always };
  const { state, closesAt } = sessionAt(now);
  return { name: words[state], detail: html`${words.until} ${moment(closesAt, language)}` };
}
