/** /log: the decision log, checked in the page. */
import { render } from "preact";
import { detailText } from "../../attestor/view/detailText.ts";
import { after, askBytes, keepText, keptText } from "../browser.ts";
import { island } from "../island.ts";
import type { LogCheck, ShownEntry } from "../log/check.ts";
import WORDS from "../log/words.json" with { type: "json" };
import { pageLanguage } from "../words.ts";

interface Props {
  readonly note: string;
  readonly vkey: string;
}

/** Where this browser keeps the checkpoint that it saw last. */
const SEEN = "assay-log";
/** As long as a checkpoint may be in a cache, and a little more. */
const PAUSE_MS = 2_500;

island<Props>("log", (root, { note, vkey }) => {
  let isThere = true;
  root.replaceChildren();
  render(<Checks checks={null} seen={null} />, root);
  const seen = keptText(SEEN);
  void check({ note, vkey, seen }).then((checks) => {
    if (!isThere) return;
    if (checks.every(({ outcome }) => outcome === "ok" || outcome === "absent")) keepText(SEEN, note);
    render(<Checks checks={checks} seen={seen} />, root);
  });
  return () => {
    isThere = false;
    render(null, root);
  };
});

async function check(shown: Props & { readonly seen: string | null }): Promise<LogCheck[]> {
  const { checkLog } = await import("../log/check.ts");
  const entries = [...document.querySelectorAll<HTMLElement>("[data-entry]")].map(
    ({ dataset }): ShownEntry => ({
      index: Number(dataset.entry),
      evidenceHash: dataset.hash ?? "",
      decision: dataset.decision ?? "",
    }),
  );
  return checkLog(
    { ...shown, entries },
    {
      file: (path) => askBytes(`/log/${path}`),
      pause: () => new Promise((resolve) => void after(PAUSE_MS, resolve)),
    },
  );
}

function Checks({ checks, seen }: { checks: readonly LogCheck[] | null; seen: string | null }) {
  const words = WORDS[pageLanguage()];
  if (checks === null)
    return (
      <p class="soft" role="status">
        {words.checking}
      </p>
    );
  const isLie = checks.some(({ name, outcome }) => name === "memory" && outcome === "wrong");
  return (
    <div role="status">
      <ul class="stepwise">
        {checks.map(({ name, outcome, detail }) => (
          <li key={name} data-check={name} data-outcome={outcome}>
            <span class={`outcome ${outcome}`}>{words[outcome]}</span>
            <div>
              <p>{words[name]}</p>
              {outcome === "ok" || detail === "" ? null : (
                <p class="small">{detailText(detail, pageLanguage()) ?? detail}</p>
              )}
            </div>
          </li>
        ))}
      </ul>
      {isLie ? (
        <>
          <p class="fault">{words.lied}</p>
          <pre>{seen}</pre>
        </>
      ) : (
        <p class="soft">{words.kept}</p>
      )}
    </div>
  );
}
