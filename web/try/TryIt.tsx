/** The form of the reference page that sends a request with the reader's key. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Sent, send } from "../browser.ts";
import { SecretField } from "../pieces.tsx";
import { currentKey, onKeyChange } from "../readerKey.ts";
import { pageLanguage } from "../words.ts";
import { addressOf, type Operation, type Parameter, shownText } from "./request.ts";
import WORDS from "./words.json" with { type: "json" };

/** What an answer's headers tell beside its body. */
const HEADERS = ["content-type", "x-request-id", "ratelimit", "retry-after", "cache-control", "location"];

export function TryIt(operation: Operation) {
  const words = WORDS[pageLanguage()];
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.open}</summary>
      {open ? <Form {...operation} /> : null}
    </details>
  );
}

function Form(operation: Operation) {
  const words = WORDS[pageLanguage()];
  const [hasKey, setHasKey] = useState(currentKey() !== null);
  const [sent, setSent] = useState<Sent | null>(null);
  const [said, setSaid] = useState("");
  const root = useRef<HTMLDivElement>(null);
  // What is typed stays in its own field: a job token is copied nowhere.
  const token = useRef<HTMLInputElement>(null);
  const latest = useRef(0);
  useEffect(() => onKeyChange(() => setHasKey(currentKey() !== null)), []);

  const submit = async () => {
    const form = root.current;
    if (form === null) return;
    const values = Object.fromEntries(
      operation.parameters.map(({ name }) => [name, fieldOf(form, operation, name)?.value ?? ""]),
    );
    const address = addressOf(operation, values);
    if (address === null) return setSaid(words.missing);
    const mine = ++latest.current;
    setSent(null);
    setSaid(words.sending);
    try {
      const answer = await send(address, requestOf(operation, form, token.current?.value.trim() ?? ""));
      if (mine !== latest.current) return;
      setSent(answer);
      setSaid("");
    } catch {
      if (mine === latest.current) setSaid(words.unreachable);
    }
  };

  return (
    // No element of HTML's that could send itself, or be remembered.
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in a field sends, as in a form
    <div
      class="form"
      ref={root}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) void submit();
      }}
    >
      {operation.parameters.map((parameter) => (
        <Field key={parameter.name} operation={operation} parameter={parameter} required={words.required} />
      ))}
      {operation.jobToken ? (
        <div class="field">
          <SecretField id={idOf(operation, "token")} label={words.token} input={token} />
        </div>
      ) : null}
      {operation.body === null ? null : (
        <div class="field">
          <label for={idOf(operation, "body")}>{words.body}</label>
          <textarea
            id={idOf(operation, "body")}
            rows={lines(operation.body)}
            spellcheck={false}
            defaultValue={operation.body}
          />
        </div>
      )}
      <p>
        <button type="button" onClick={() => void submit()}>
          {words.send}
        </button>{" "}
        {operation.key ? <span class="soft">{hasKey ? words.withKey : words.withoutKey}</span> : null}
      </p>
      <div aria-live="polite">
        {said === "" ? null : <p class="soft">{said}</p>}
        {sent === null ? null : <Answer sent={sent} />}
      </div>
    </div>
  );
}

function Field({
  operation,
  parameter: { name, required, options, initial },
  required: requiredWord,
}: {
  operation: Operation;
  parameter: Parameter;
  required: string;
}) {
  const id = idOf(operation, `parameter-${name}`);
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {required ? <span class="soft">{requiredWord}</span> : null}
      </label>
      {options.length > 0 ? (
        <select id={id}>
          {required ? null : <option value="" />}
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} type="text" defaultValue={initial} autocomplete="off" spellcheck={false} />
      )}
    </div>
  );
}

function Answer({ sent: { status, headers, text, milliseconds } }: { sent: Sent }) {
  const words = WORDS[pageLanguage()];
  const shown = shownText(text);
  return (
    <div class="answer">
      <p>
        <strong class={status < 400 ? "good" : "bad"}>{status}</strong>{" "}
        <span class="soft">
          {milliseconds} ms, {new Intl.NumberFormat("en-US").format(text.length)} {words.characters}
        </span>
      </p>
      <ul class="headers">
        {HEADERS.flatMap((name) => {
          const value = headers.get(name);
          return value === null
            ? []
            : [
                <li key={name}>
                  <code>{`${name}: ${value}`}</code>
                </li>,
              ];
        })}
      </ul>
      {shown.text === "" ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys have to reach what scrolls
        <section tabIndex={0} aria-label={words.answer}>
          <pre>
            <code>{shown.text}</code>
          </pre>
        </section>
      )}
      {shown.cut ? <p class="soft">{words.cut}</p> : null}
    </div>
  );
}

/** No fields have names: nothing that a browser sends or remembers by itself. */
const idOf = ({ name }: Operation, field: string): string => `try-${name}-${field}`;
const fieldOf = (form: HTMLElement, operation: Operation, name: string) =>
  form.querySelector<HTMLInputElement>(`[id="${CSS.escape(idOf(operation, `parameter-${name}`))}"]`);
const lines = (text: string): number => Math.min(24, text.split("\n").length + 1);

function requestOf(operation: Operation, form: HTMLElement, token: string) {
  const body = form.querySelector("textarea")?.value ?? "";
  const hasBody = operation.body !== null && body.trim() !== "";
  return {
    method: operation.method.toUpperCase(),
    headers: {
      accept: "application/json, */*;q=0.5",
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...(operation.jobToken && token !== "" ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(hasBody ? { body } : {}),
  };
}
