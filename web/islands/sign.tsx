/** /sign: the reader's wallet signs the one trade that a link names. */
import "../report/plain.ts";
import { render } from "preact";
import { filled } from "../../attestor/view/language.ts";
import { island } from "../island.ts";
import { browserJudge } from "../report/browserJudge.ts";
import type { Judge } from "../report/judge.ts";
import { Trade } from "../sign/Trade.tsx";
import { linkIn } from "../sign/trade.ts";
import words from "../sign/words.json" with { type: "json" };

/** Where the service is, by its own word. */
interface Place {
  readonly chainId: number;
  readonly guard: string;
}

island<{ place: Place }>("sign", (root, { place }) => {
  let judge: Judge | null = null;
  const draw = () => {
    const { hash } = location;
    // The same page in another language is of the same trade.
    for (const other of document.querySelectorAll<HTMLAnchorElement>(".languages a")) other.hash = hash;
    render(null, root);
    const { badTradeLink, otherTradeGuard } = words.faults;
    const link = linkIn(hash);
    if (link === null) render(<p class="fault">{badTradeLink}</p>, root);
    else if (link.guard !== place.guard || link.chainId !== place.chainId)
      render(
        <p class="fault">{filled(otherTradeGuard, { guard: link.guard, chainId: link.chainId })}</p>,
        root,
      );
    else {
      judge ??= browserJudge();
      render(<Trade key={hash} link={link} judge={judge} now={Date.now} />, root);
    }
  };
  draw();
  // Another link to the page changes the fragment alone.
  addEventListener("hashchange", draw);
});
