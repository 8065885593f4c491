/** /verify: a report that the reader has, judged in the page. */
import { render } from "preact";
import { askText } from "../browser.ts";
import { island } from "../island.ts";
import { browserJudge } from "../report/browserJudge.ts";
import type { ServiceWord } from "../report/service.ts";
import { Verifier } from "../report/Verifier.tsx";

island<{ service: ServiceWord | null }>("verify", (root, { service }) => {
  // At once, so that it is there when the network is not.
  const judge = browserJudge();
  root.replaceChildren();
  render(<Verifier judge={judge} known={[]} service={service && { word: service, get: askText }} />, root);
  return () => {
    render(null, root);
    judge.end();
  };
});
