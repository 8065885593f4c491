/** The fields of a mandate. None is in a form that could submit itself. */
import type { ComponentChildren } from "preact";
import { filled } from "../../attestor/view/language.ts";
import type { Fields } from "./fields.ts";
import { type Terms, tokensOf } from "./onChain.ts";
import { LineField } from "./Parts.tsx";
import { signWords } from "./words.ts";

interface FormProps {
  readonly terms: Terms;
  readonly fields: Fields;
  readonly faults: readonly string[];
  onChange(fields: Fields): void;
}

export function GrantForm({ terms, fields, faults, onChange }: FormProps) {
  const words = signWords().fields;
  const set = (change: Partial<Fields>) => onChange({ ...fields, ...change });
  const setStock = (address: string, text: string | null) => {
    const { [address]: _, ...others } = fields.stocks;
    set({ stocks: text === null ? others : { ...others, [address]: text } });
  };
  const setPolicy = (hash: string, isOn: boolean) =>
    set({ policies: [...fields.policies.filter((other) => other !== hash), ...(isOn ? [hash] : [])] });
  const line = { of: fields, faults, onChange: set };
  const stocks = tokensOf(terms, "stock").map(({ symbol, address }) => {
    const text = fields.stocks[address];
    const sellable = text !== undefined && (
      <input
        aria-label={filled(words.sellableOf, { symbol })}
        inputmode="decimal"
        placeholder="0"
        value={text}
        onInput={(event) => setStock(address, event.currentTarget.value)}
      />
    );
    const choose = (isOn: boolean) => setStock(address, isOn ? "" : null);
    return { label: symbol, isOn: text !== undefined, choose, more: sellable };
  });
  return (
    <div class="grid">
      <Choices
        name="which"
        type="radio"
        faults={faults}
        of={[
          { label: words.isNew, isOn: fields.isNew, choose: () => set({ isNew: true }) },
          { label: words.isOwn, isOn: !fields.isNew, choose: () => set({ isNew: false }) },
        ]}
      />
      {!fields.isNew && <LineField name="safe" {...line} />}
      <LineField name="agent" {...line} />
      <label>
        <span>{words.settlementToken}</span>
        <select
          value={fields.settlementToken}
          onChange={(event) => set({ settlementToken: event.currentTarget.value })}
        >
          {tokensOf(terms, "settlement").map(({ symbol, address }) => (
            <option key={address} value={address}>
              {symbol}
            </option>
          ))}
        </select>
      </label>
      {(["perTrade", "perDay", "budget", "expiresAt", "revoker"] as const).map((name) => (
        <LineField key={name} name={name} {...line} />
      ))}
      <Choices name="stocks" hint={words.sellable} faults={faults} of={stocks} />
      <Choices
        name="policies"
        faults={faults}
        of={terms.policies.map(({ name, hash }) => ({
          label: name,
          isOn: fields.policies.includes(hash),
          choose: (isOn) => setPolicy(hash, isOn),
        }))}
      />
    </div>
  );
}

interface ChoicesProps {
  readonly name: "which" | "stocks" | "policies";
  readonly type?: "radio" | "checkbox";
  readonly hint?: string;
  readonly faults: readonly string[];
  readonly of: readonly {
    readonly label: string;
    readonly isOn: boolean;
    choose(isOn: boolean): void;
    readonly more?: ComponentChildren;
  }[];
}

function Choices({ name, type = "checkbox", hint, faults, of }: ChoicesProps) {
  return (
    <fieldset class="whole" aria-invalid={faults.includes(name)}>
      <legend>{signWords().fields[name]}</legend>
      {hint !== undefined && <p class="soft small">{hint}</p>}
      <div class="choices">
        {of.map(({ label, isOn, choose, more }) => (
          <div key={label} class="choice">
            <label>
              <input
                {...{ type, name }}
                checked={isOn}
                onChange={(event) => choose(event.currentTarget.checked)}
              />
              {label}
            </label>
            {more}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
