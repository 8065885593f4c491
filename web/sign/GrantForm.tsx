/** The fields of a mandate. None stands in a form that could send itself. */
import type { ComponentChildren } from "preact";
import { filled } from "../../attestor/view/language.ts";
import type { Fields } from "./fields.ts";
import type { Terms } from "./onChain.ts";
import { signWords } from "./Parts.tsx";

interface FormProps {
  readonly terms: Terms;
  readonly fields: Fields;
  /** Names of fields that are wrong. */
  readonly faults: readonly string[];
  onChange(fields: Fields): void;
}

type TextField = "safe" | "agent" | "perTrade" | "perDay" | "budget" | "expires" | "revoker";

export function GrantForm(props: FormProps) {
  const { terms, fields, onChange } = props;
  const words = signWords();
  const set = (change: Partial<Fields>) => onChange({ ...fields, ...change });
  return (
    <div class="grid">
      <Group legend={words.fields.which}>
        {[true, false].map((isNew) => (
          <label key={String(isNew)} class="choice">
            <input
              type="radio"
              name="which"
              checked={fields.isNew === isNew}
              onChange={() => set({ isNew })}
            />
            {isNew ? words.fields.isNew : words.fields.isOwn}
          </label>
        ))}
      </Group>
      {!fields.isNew && <Text {...props} name="safe" />}
      <Text {...props} name="agent" />
      <label>
        <span>{words.fields.settlementToken}</span>
        <select
          value={fields.settlementToken}
          onChange={(event) => set({ settlementToken: event.currentTarget.value })}
        >
          {terms.tokens
            .filter(({ kind }) => kind === "settlement")
            .map(({ symbol, address }) => (
              <option key={address} value={address}>
                {symbol}
              </option>
            ))}
        </select>
      </label>
      <Text {...props} name="perTrade" />
      <Text {...props} name="perDay" />
      <Text {...props} name="budget" />
      <Text {...props} name="expires" />
      <Text {...props} name="revoker" />
      <Stocks {...props} />
      <Group legend={words.fields.policies} isWrong={props.faults.includes("policies")}>
        {terms.policies.map(({ name, hash }) => (
          <label key={hash} class="choice">
            <input
              type="checkbox"
              checked={fields.policies.includes(hash)}
              onChange={({ currentTarget: { checked } }) =>
                set({
                  policies: [
                    ...fields.policies.filter((other) => other !== hash),
                    ...(checked ? [hash] : []),
                  ],
                })
              }
            />
            {name}
          </label>
        ))}
      </Group>
    </div>
  );
}

function Stocks({ terms, fields, faults, onChange }: FormProps) {
  const words = signWords();
  const set = (address: string, text: string | null) => {
    const { [address]: _, ...others } = fields.stocks;
    onChange({ ...fields, stocks: text === null ? others : { ...others, [address]: text } });
  };
  return (
    <Group legend={words.fields.stocks} hint={words.fields.sellable} isWrong={faults.includes("stocks")}>
      {terms.tokens
        .filter(({ kind }) => kind === "stock")
        .map(({ symbol, address }) => {
          const text = fields.stocks[address];
          return (
            <div key={address} class="choice stock">
              <label>
                <input
                  type="checkbox"
                  checked={text !== undefined}
                  onChange={({ currentTarget: { checked } }) => set(address, checked ? "" : null)}
                />{" "}
                {symbol}
              </label>
              {text !== undefined && (
                <input
                  aria-label={filled(words.fields.sellableOf, { symbol })}
                  inputmode="decimal"
                  placeholder="0"
                  value={text}
                  onInput={(event) => set(address, event.currentTarget.value)}
                />
              )}
            </div>
          );
        })}
    </Group>
  );
}

const isAddress = (name: TextField) => ["safe", "agent", "revoker"].includes(name);

function Text({ name, fields, faults, onChange }: FormProps & { readonly name: TextField }) {
  const words = signWords();
  const isTime = name === "expires";
  const field = {
    id: `mandate-${name}`,
    autocomplete: "off",
    spellcheck: false,
    value: fields[name],
    "data-address": isAddress(name) || undefined,
    "aria-invalid": faults.includes(isTime ? "expiresAt" : name),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...fields, [name]: event.currentTarget.value }),
  };
  return (
    <label for={field.id}>
      <span>{words.fields[name]}</span>
      {isTime ? <input type="datetime-local" {...field} /> : <input type="text" {...field} />}
    </label>
  );
}

interface GroupProps {
  readonly legend: string;
  readonly hint?: string;
  readonly isWrong?: boolean;
  readonly children: ComponentChildren;
}

function Group({ legend, hint, isWrong = false, children }: GroupProps) {
  return (
    <fieldset class="whole" aria-invalid={isWrong}>
      <legend>{legend}</legend>
      {hint !== undefined && <p class="soft small">{hint}</p>}
      <div class="choices">{children}</div>
    </fieldset>
  );
}
