/** The part of `/sign` that is loaded for a link to a trade. */
import { render } from "preact";
import { filled } from "../../attestor/view/language.ts";
import { browserJudge } from "../report/browserJudge.ts";
import { Trade } from "./Trade.tsx";
import { linkIn } from "./trade.ts";
import { signWords } from "./words.ts";

/** Where the service is, by its own word. */
export interface Place {
  readonly chainId: number;
  readonly guard: string;
}

/** @param hash the fragment @param now unix milliseconds @returns ends it */
export function openTrade(root: HTMLElement, hash: string, place: Place, now: () => number): () => void {
  const { badTradeLink, otherTradeGuard } = signWords().faults;
  const link = linkIn(hash);
  // The same page in another language is of the same trade.
  for (const other of document.querySelectorAll<HTMLAnchorElement>(".languages a")) other.hash = hash;
  const judge = browserJudge();
  const isHere = link !== null && link.guard === place.guard && link.chainId === place.chainId;
  render(
    isHere ? (
      <Trade key={hash} link={link} judge={judge} now={now} />
    ) : (
      <p class="fault">
        {link === null ? badTradeLink : filled(otherTradeGuard, { guard: link.guard, chainId: link.chainId })}
      </p>
    ),
    root,
  );
  return () => judge.end();
}
