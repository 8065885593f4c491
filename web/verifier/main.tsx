/** The verifier as one file: it needs nothing but itself, and asks nobody. */
import "../report/plain.ts";
import { render } from "preact";
import { useState } from "preact/hooks";
import { LANGUAGES, type Language } from "../../attestor/view/language.ts";
import type { Judge } from "../report/judge.ts";
import type { KnownText } from "../report/question.ts";
import { servesAsWorker, singleJudge } from "../report/singleJudge.ts";
import { Verifier } from "../report/Verifier.tsx";
import PLACE_WORDS from "../report/words.json" with { type: "json" };

/** Records of `deployments/` when the file was made, as `assay verify` knows them; written in by the build. */
declare const KNOWN_GUARDS: readonly KnownText[];
/** Of the program, and what it was made of. */
declare const VERIFIER_VERSION: string;

const NAMES: Readonly<Record<Language, string>> = { en: "English", zh: "中文" };

function Page({ judge }: { judge: Judge }) {
  const [language, setLanguage] = useState<Language>(navigator.language.startsWith("zh") ? "zh" : "en");
  const words = PLACE_WORDS[language];
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  document.title = words.verifierTitle;
  return (
    <div class="sheet">
      <header class="masthead">
        <h1>{words.verifierTitle}</h1>
        <nav aria-label={words.languages}>
          {LANGUAGES.map((each) => (
            <button
              key={each}
              type="button"
              lang={each}
              aria-pressed={each === language}
              onClick={() => setLanguage(each)}
            >
              {NAMES[each]}
            </button>
          ))}
        </nav>
      </header>
      <p class="soft">{words.verifierLead}</p>
      <Verifier judge={judge} known={KNOWN_GUARDS} />
      <footer class="soft small">
        <p>
          {KNOWN_GUARDS.length === 0
            ? words.knowsNone
            : `${words.knows}: ${KNOWN_GUARDS.map(({ chainId, address }) => `${chainId}:${address}`).join(", ")}`}
        </p>
        <p>Assay {VERIFIER_VERSION}</p>
      </footer>
    </div>
  );
}

if (!servesAsWorker()) {
  const root = document.getElementById("main");
  if (root) render(<Page judge={singleJudge()} />, root);
}
