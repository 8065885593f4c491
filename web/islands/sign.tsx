/** /sign: the reader's wallet grants and revokes mandates. */
import { render } from "preact";
import { island } from "../island.ts";
import type { Terms } from "../sign/onChain.ts";
import { Sign } from "../sign/Sign.tsx";

island<{ terms: Terms }>("sign", (root, { terms }) => {
  root.replaceChildren();
  render(<Sign terms={terms} hash={location.hash} now={Date.now} />, root);
  return () => render(null, root);
});
