/** Pieces that several pages are made of. Texts go in as text: no piece takes HTML. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Language } from "../attestor/view/language.ts";
import { hourText, momentText, newYorkText } from "../attestor/view/times.ts";
import { pathFor, type Reader } from "./props.ts";

/** Pages and parts in English alone need not say so. */
export const ReaderContext = createContext<Reader>({ language: "en", explicit: false });
export const useLanguage = (): Language => useContext(ReaderContext).language;

/** A link to a page of ours. */
export function PageLink({ to, children }: { to: string; children: ComponentChildren }) {
  return <a href={pathFor(useContext(ReaderContext), to)}>{children}</a>;
}

const isoOf = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** A moment in UTC and New York; `islands/times.ts` puts the reader's zone in the place of UTC. @param seconds unix */
export function Moment({ seconds }: { seconds: number }) {
  const language = useLanguage();
  const ms = seconds * 1_000;
  // What a document claims may be no time at all.
  if (!Number.isFinite(new Date(ms).getTime())) return <span>?</span>;
  return (
    <span class="moment">
      <time dateTime={isoOf(seconds)} data-time="moment">
        {momentText(ms, { language, zone: "UTC" })}
      </time>{" "}
      <span>· {newYorkText(ms, language)}</span>
    </span>
  );
}

/** `15:30 UTC`, which script turns into the reader's. @param seconds unix */
export function Clock({ seconds }: { seconds: number }) {
  return (
    <time dateTime={isoOf(seconds)} data-time="clock">
      {`${isoOf(seconds).slice(11, 16)} UTC`}
    </time>
  );
}

/** `22 Nov, 10:00` in UTC, which script turns into the reader's. @param seconds unix */
export function HourTime({ seconds }: { seconds: number }) {
  return (
    <time dateTime={`${isoOf(seconds).slice(0, 16)}Z`} data-time="hour">
      {hourText(seconds * 1_000, { language: useLanguage(), zone: "UTC" })}
    </time>
  );
}

export type Row = readonly [name: string, value: ComponentChildren];

/** Rows of a name and what it is. */
export function Rows({ of, kind = "rows" }: { of: readonly Row[]; kind?: string }) {
  return (
    <dl class={kind}>
      {of.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SectionProps {
  readonly title: string;
  /** What links of the page call it. */
  readonly id?: string;
  readonly hint?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, id, hint, children }: SectionProps) {
  return (
    <section class="part" id={id}>
      <h2>{title}</h2>
      {hint === undefined ? null : <p class="soft">{hint}</p>}
      {children}
    </section>
  );
}

/** A section that is closed until the reader opens it. */
export function Folded({ title, id, hint, isOpen = false, children }: SectionProps & { isOpen?: boolean }) {
  return (
    <details class="part folded" id={id} open={isOpen}>
      <summary>
        <h2>{title}</h2>
        {hint === undefined ? null : <span class="soft">{hint}</span>}
      </summary>
      {children}
    </details>
  );
}

interface TableProps {
  /** What the table is, for screen readers. */
  readonly name: string;
  readonly kind: string;
  readonly heads: readonly ComponentChildren[];
  /** The first cell of each names its row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Columns that are right-aligned, from 0. */
  readonly figures?: readonly number[];
}

/** A table that scrolls sideways where it has no room, by the keyboard too. */
export function Table({ name, kind, heads, rows, figures = [] }: TableProps) {
  const classes = heads.map((_, column) => (figures.includes(column) ? "number" : undefined));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it by the keyboard
    <section class={`scroll ${kind}`} tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th scope="col" class={classes[column]}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...rest]) => (
            <tr>
              <th scope="row">{first}</th>
              {rest.map((cell, index) => (
                <td class={classes[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** What something is called, and its hash or address. */
export const named = (name: string, code: string) => (
  <>
    {name} <code>{code}</code>
  </>
);

/** A hash or an address, and what is to be said of it. */
export const codeAnd = (code: string, more: string) => (
  <>
    <code>{code}</code>
    {more}
  </>
);

const LONG_HEX = /0x[0-9a-fA-F]{24,}/g;

/** A text with its hashes and addresses cut; the whole of it is its title. */
export function Short({ text }: { text: string }) {
  const cut = text.replace(LONG_HEX, (hex) => `${hex.slice(0, 8)}…${hex.slice(-6)}`);
  return <span title={cut === text ? undefined : text}>{cut}</span>;
}
