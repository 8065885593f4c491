/** The place in the header where a reader gives the page an API key, and takes it back. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../browser.ts";
import { SecretField } from "../pieces.tsx";
import { currentKey, isKey, onKeyChange, setKey } from "../readerKey.ts";
import { pageLanguage, refusalText } from "../words.ts";
import WORDS from "./words.json" with { type: "json" };

/** A key is tried before it is used: the service says whether it knows it. */
export function KeyPanel() {
  const words = WORDS[pageLanguage()];
  const [open, setOpen] = useState(false);
  const [has, setHas] = useState(currentKey() !== null);
  const [said, setSaid] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => onKeyChange(() => setHas(currentKey() !== null)), []);
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);

  const close = () => {
    setOpen(false);
    setSaid("");
    button.current?.focus();
  };
  const use = async () => {
    const given = input.current?.value.trim() ?? "";
    if (!isKey(given)) return setSaid(words.form);
    setSaid(words.asking);
    const answer = await ask("/api/v1/liquidity-scores", { "x-api-key": given });
    if (!answer.ok) return setSaid(refusalText(answer, words.refused));
    setKey(given);
    close();
  };

  return (
    <>
      <button
        type="button"
        ref={button}
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
      >
        {has ? words.set : words.open}
      </button>
      {open && (
        <section
          class="panel"
          aria-label={words.open}
          onKeyDown={(event) => {
            if (event.key === "Escape") close();
          }}
        >
          {has ? (
            <div class="row">
              <button
                type="button"
                onClick={() => {
                  setKey(null);
                  close();
                }}
              >
                {words.forget}
              </button>
              <button type="button" onClick={close}>
                {words.close}
              </button>
            </div>
          ) : (
            <>
              <SecretField id="key" label={words.label} input={input} onEnter={() => void use()} />
              <div class="row">
                <button type="button" class="strong" onClick={() => void use()}>
                  {words.use}
                </button>
                <button type="button" onClick={close}>
                  {words.close}
                </button>
              </div>
            </>
          )}
          <p>{words.what}</p>
          {said !== "" && <p role="alert">{said}</p>}
        </section>
      )}
    </>
  );
}
