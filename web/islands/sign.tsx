/** /sign: the reader's wallet grants and revokes mandates, or signs the one trade that a link names. */
import "../report/plain.ts";
import { render } from "preact";
import { island } from "../island.ts";
import type { Terms } from "../sign/onChain.ts";
import type { Place } from "../sign/openTrade.tsx";
import { Sign } from "../sign/Sign.tsx";

/** `terms` null: no mandates can be granted here. */
island<{ place: Place; terms: Terms | null }>("sign", (root, { place, terms }) => {
  let end = () => {};
  // Another link to the page changes the fragment alone.
  const draw = async () => {
    const { hash } = location;
    end();
    end = () => {};
    if (hash.startsWith("#trade=")) {
      // The next element is about mandates.
      root.nextElementSibling?.remove();
      const { openTrade } = await import("../sign/openTrade.tsx");
      if (hash !== location.hash) return;
      render(null, root);
      end = openTrade(root, hash, place, Date.now);
    } else if (terms !== null) {
      render(null, root);
      render(<Sign key={hash} terms={terms} hash={hash} now={Date.now} />, root);
    }
  };
  void draw();
  addEventListener("hashchange", draw);
  return () => {
    removeEventListener("hashchange", draw);
    end();
    render(null, root);
  };
});
