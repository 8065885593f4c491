/** Between the host and the report view. */
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";
import { render } from "preact";
import { withItsProofs } from "../../attestor/report.ts";
import { asRecord } from "../../attestor/steps.ts";
import type { Language } from "../../attestor/view/language.ts";
import { Checked } from "../report/Checked.tsx";
import type { Judge } from "../report/judge.ts";
import { LanguageContext } from "../report/Parts.tsx";
import type { KnownText } from "../report/question.ts";
import PLACE_WORDS from "../report/words.json" with { type: "json" };

/** As in the verifier, written in by the build. */
declare const KNOWN_GUARDS: readonly KnownText[];
declare const VERIFIER_VERSION: string;

/** Connects to the host and shows the report of each result that it tells. */
export function startApp(judge: Judge): void {
  const root = document.getElementById("main");
  if (root === null) return;
  const app = new App({ name: "assay-report", version: VERIFIER_VERSION }, {});
  let language: Language = navigator.language.startsWith("zh") ? "zh" : "en";
  let shown: string | null = null;
  const show = () => {
    const words = PLACE_WORDS[language];
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    render(
      <LanguageContext.Provider value={language}>
        <h1 class="hidden">{words.appTitle}</h1>
        {shown === null ? (
          <p class="soft">{words.noResult}</p>
        ) : (
          <Checked input={shown} judge={judge} known={KNOWN_GUARDS} service={null} />
        )}
      </LanguageContext.Provider>,
      root,
    );
  };
  const adapt = ({ locale, theme }: { locale?: string; theme?: "light" | "dark" }) => {
    if (locale !== undefined) language = locale.toLowerCase().startsWith("zh") ? "zh" : "en";
    if (theme !== undefined) document.documentElement.style.colorScheme = theme;
    show();
  };
  app.addEventListener("toolresult", ({ structuredContent, isError, _meta }) => {
    // A refusal has words of its own, which the host shows.
    const answer = isError ? null : asRecord(structuredContent);
    shown = answer === null ? null : JSON.stringify(withItsProofs(answer, _meta));
    show();
  });
  app.addEventListener("hostcontextchanged", adapt);
  show();
  void app.connect(new PostMessageTransport(window.parent, window.parent)).then(() => {
    adapt(app.getHostContext() ?? {});
  });
}
