/** /sign: the reader's wallet grants and revokes mandates. */
import { render } from "preact";
import { island } from "../island.ts";
import type { Terms } from "../sign/onChain.ts";
import { Sign } from "../sign/Sign.tsx";

island<{ terms: Terms }>("sign", (root, { terms }) => {
  root.replaceChildren();
  // Another link to the page changes the fragment alone.
  const draw = () =>
    render(<Sign key={location.hash} terms={terms} hash={location.hash} now={Date.now} />, root);
  draw();
  addEventListener("hashchange", draw);
  return () => {
    removeEventListener("hashchange", draw);
    render(null, root);
  };
});
