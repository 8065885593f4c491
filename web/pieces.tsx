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

export function Section({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children: ComponentChildren;
}) {
  return (
    <section class="part">
      <h2>{title}</h2>
      {hint === undefined ? null : <p class="soft">{hint}</p>}
      {children}
    </section>
  );
}
