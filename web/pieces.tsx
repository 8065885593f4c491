/** Pieces that several islands are made of. */
import type { ComponentChildren } from "preact";

/** Rows of a name and what it is; `false` leaves a row out. */
export function Rows({ of }: { of: readonly (readonly [name: string, value: ComponentChildren] | false)[] }) {
  return (
    <dl class="rows">
      {of.map(
        (row, index) =>
          row && (
            <div key={index}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface SectionProps {
  readonly title: string;
  /** What links of the page call it. */
  readonly id?: string;
  readonly hint?: string;
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

/** A section that is closed until the reader opens it, or follows a link to its content. */
export function Folded({ title, id, hint, children }: SectionProps) {
  return (
    <details class="part folded">
      <summary>
        <h2>{title}</h2>
        {hint === undefined ? null : <span class="soft">{hint}</span>}
      </summary>
      <div id={id}>{children}</div>
    </details>
  );
}

/** What something is called, and its hash or address. */
export const named = (name: string, code: string) => (
  <>
    {name} <code>{code}</code>
  </>
);
