/** /verify: a report that the reader has, judged in the page. */
import { render } from "preact";
import { askText } from "../browser.ts";
import { island } from "../island.ts";
import { browserJudge } from "../report/browserJudge.ts";
import { LanguageContext } from "../report/Parts.tsx";
import type { ServiceWord } from "../report/service.ts";
import { Verifier } from "../report/Verifier.tsx";
import { pageLanguage } from "../words.ts";

island<{ service: ServiceWord | null }>("verify", (root, { service }) => {
  // At once, so that it is there when the network is not.
  const judge = browserJudge();
  root.replaceChildren();
  render(
    <LanguageContext.Provider value={pageLanguage()}>
      <Verifier judge={judge} known={[]} service={service && { word: service, get: askText }} />
    </LanguageContext.Provider>,
    root,
  );
  return () => {
    render(null, root);
    judge.end();
  };
});
