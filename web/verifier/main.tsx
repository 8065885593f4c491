/** The verifier as one file: it needs nothing but itself, and asks nobody. */
import "../report/plain.ts";
import { render } from "preact";
import { saveFile } from "../browser.ts";
import { showLocalTimes } from "../localTimes.ts";
import type { Judge } from "../report/judge.ts";
import type { KnownText } from "../report/question.ts";
import { servesAsWorker, singleJudge } from "../report/singleJudge.ts";
import { Verifier } from "../report/Verifier.tsx";
import words from "../words/report.json" with { type: "json" };

/** Records of `deployments/` when the file was made, as `assay verify` knows them; written in by the build. */
declare const KNOWN_GUARDS: readonly KnownText[];
/** Of the program, and what it was made of. */
declare const VERIFIER_VERSION: string;

function Page({ judge }: { judge: Judge }) {
  return (
    <>
      <h1>{words.verifierTitle}</h1>
      <p class="lead soft">{words.verifierLead}</p>
      <Verifier judge={judge} known={KNOWN_GUARDS} save={saveFile} />
      <footer class="soft small">
        <p>
          {KNOWN_GUARDS.length === 0
            ? words.knowsNone
            : `${words.knows}: ${KNOWN_GUARDS.map(({ chainId, address }) => `${chainId}:${address}`).join(", ")}`}
        </p>
        <p>Assay {VERIFIER_VERSION}</p>
      </footer>
    </>
  );
}

if (!servesAsWorker()) {
  const root = document.getElementById("main");
  if (root) render(<Page judge={singleJudge()} />, root);
  showLocalTimes();
}
