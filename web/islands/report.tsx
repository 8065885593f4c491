/** /reports/<evidenceHash>: a published report, judged in the page. */
import { render } from "preact";
import { askText } from "../browser.ts";
import { island } from "../island.ts";
import { browserJudge } from "../report/browserJudge.ts";
import { Checked } from "../report/Checked.tsx";
import type { ServiceWord } from "../report/service.ts";
import words from "../report/words.json" with { type: "json" };

interface Props {
  /** Path of the document. */
  readonly evidence: string;
  readonly service: ServiceWord | null;
}

island<Props>("report", (root, { evidence, service }) => {
  const judge = browserJudge();
  // The tables that the service wrote stay until the page has its own.
  const executed = root.querySelector("#executed");
  const place = document.createElement("div");
  const show = (text: string) =>
    render(
      <Checked
        input={text}
        judge={judge}
        known={[]}
        service={service && { word: service, get: askText }}
        executed={executed}
        onFirst={() => root.replaceChildren(place)}
      />,
      place,
    );
  const fail = () => root.querySelector(".meaning")?.replaceChildren(words.reportFailed);
  void askText(evidence).then((text) => (text === null ? fail() : show(text)), fail);
});
