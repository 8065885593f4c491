/**
 * The verifier as one file: it needs nothing but itself, and asks nobody. Its worker is made of the page's own script,
 * which is program and worker in one.
 */
import "../report/plain.ts";
import { hydrate } from "preact";
import { after, saveFile, secondsNow } from "../browser.ts";
import { showLocalTimes } from "../localTimes.ts";
import { createJudge } from "../report/judge.ts";
import { judge, type KnownText, serveJudge } from "../report/judging.ts";
import { VerifierPage } from "./Page.tsx";

/** Records of `deployments/` when the file was made, as `assay verify` knows them; written in by the build. */
declare const KNOWN_GUARDS: readonly KnownText[];
/** Of the program, and what it was made of. */
declare const VERIFIER_VERSION: string;

/** Pages off a disk may have no module workers, so it is none. */
function ownWorker(): Worker {
  const program = document.querySelector('script[type="module"]')?.textContent ?? "";
  const parts = ['(()=>{"use strict";\n', program, "\n})()"];
  return new Worker(URL.createObjectURL(new Blob(parts, { type: "text/javascript" })));
}

function showPage(): void {
  const root = document.getElementById("main");
  if (root === null) return;
  const judgeHere = async (question: Parameters<typeof judge>[0]) => judge(question);
  const asked = createJudge({ openWorker: ownWorker, judgeHere, now: secondsNow, after });
  hydrate(
    <VerifierPage judge={asked} known={KNOWN_GUARDS} save={saveFile} version={VERIFIER_VERSION} />,
    root,
  );
  showLocalTimes();
}

if (typeof document === "undefined") serveJudge(self);
else showPage();
