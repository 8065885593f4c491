/** The report view of an MCP host: what a tool answered, judged again in the host's frame. */
import "../report/plain.ts";
import { App, PostMessageTransport } from "@modelcontextprotocol/ext-apps";
import { render } from "preact";
import type { Language } from "../../attestor/view/language.ts";
import { Checked } from "../report/Checked.tsx";
import type { Judge } from "../report/judge.ts";
import type { KnownText } from "../report/question.ts";
import { servesAsWorker, singleJudge } from "../report/singleJudge.ts";
import PLACE_WORDS from "../report/words.json" with { type: "json" };

/** As in the verifier, written in by the build. */
declare const KNOWN_GUARDS: readonly KnownText[];
declare const VERIFIER_VERSION: string;

/** A result's link to the whole report; null where it has none. */
function reportIn(content: readonly { type: string; name?: string; uri?: string }[] = []): string | null {
  return content.find(({ type, name }) => type === "resource_link" && name === "report")?.uri ?? null;
}

function startApp(judge: Judge): void {
  const root = document.getElementById("main");
  if (root === null) return;
  const app = new App({ name: "assay-report", version: VERIFIER_VERSION }, {});
  let language: Language = navigator.language.startsWith("zh") ? "zh" : "en";
  let shown: string | null = null;
  let missing: "noResult" | "noDocument" = "noResult";
  let results = 0;
  const show = () => {
    const words = PLACE_WORDS[language];
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    render(
      <>
        <h1 class="hidden">{words.appTitle}</h1>
        {shown === null ? (
          <p class="soft">{words[missing]}</p>
        ) : (
          <Checked input={shown} judge={judge} known={KNOWN_GUARDS} service={null} />
        )}
      </>,
      root,
    );
  };
  const adapt = ({ locale, theme }: { locale?: string; theme?: "light" | "dark" }) => {
    if (locale !== undefined) language = locale.toLowerCase().startsWith("zh") ? "zh" : "en";
    if (theme !== undefined) document.documentElement.style.colorScheme = theme;
    show();
  };
  const read = async (uri: string): Promise<string | null> => {
    const { contents } = await app.readServerResource({ uri });
    const [first] = contents;
    return first !== undefined && "text" in first ? first.text : null;
  };
  app.addEventListener("toolresult", async ({ content, isError }) => {
    const result = ++results;
    // A refusal has words of its own, which the host shows.
    const uri = isError ? null : reportIn(content);
    const text = uri === null ? null : await read(uri).catch(() => null);
    if (result !== results) return;
    shown = text;
    missing = uri === null ? "noResult" : "noDocument";
    show();
  });
  app.addEventListener("hostcontextchanged", adapt);
  show();
  void app.connect(new PostMessageTransport(window.parent, window.parent)).then(() => {
    adapt(app.getHostContext() ?? {});
  });
}

if (!servesAsWorker()) startApp(singleJudge());
