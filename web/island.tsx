/** Islands: the places of a page that script brings to life, with the values that the server has rendered them from. */
import { type ComponentChildren, type ComponentType, hydrate, type JSX } from "preact";

interface IslandProps {
  readonly name: string;
  /** Plain values: the browser reads them as JSON. */
  readonly props: object;
  readonly children: ComponentChildren;
}

/** On the server: the component that the children are, and its props beside it. */
export function Island({ name, props, children }: IslandProps) {
  // Nothing in it may end the element.
  const json = JSON.stringify(props).replaceAll("<", "\\u003c");
  return (
    <div class="island">
      <div data-island={name}>{children}</div>
      <script type="application/json" dangerouslySetInnerHTML={{ __html: json }} />
    </div>
  );
}

/** In the browser: brings the places of that name to life. */
export function bringToLife<Props extends object>(
  name: string,
  Component: ComponentType<Props>,
  more: Partial<Props> = {},
): void {
  for (const root of document.querySelectorAll(`[data-island="${name}"]`)) {
    // Sound as far as our own server is: it has rendered the place from the same values.
    const props = JSON.parse(root.nextElementSibling?.textContent ?? "{}") as JSX.LibraryManagedAttributes<
      ComponentType<Props>,
      Props
    >;
    hydrate(<Component {...props} {...more} />, root);
  }
}
