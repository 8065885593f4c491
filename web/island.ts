/** Islands: the places of a page that script brings to life. The server marks each with `data-island="name"`. */

/** @returns what ends it when its place goes */
type Mount = (root: HTMLElement, props: unknown) => (() => void) | undefined;

const islands = new Map<string, Mount>();
/** What is alive, and how it ends. */
const mounted = new Map<HTMLElement, (() => void) | undefined>();

/**
 * Says what becomes of the places of that name, at once and after each change of page.
 * @param mount is given the place, and what the server wrote into its `data-props` as JSON (`{}` without it); what it
 *   returns is called when the place is taken away
 */
export function island<Props>(
  name: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: most islands end with their place, and return nothing
  mount: (root: HTMLElement, props: Props) => (() => void) | void,
): void {
  // Sound as far as our own server is: the attribute is written by the page's template.
  islands.set(name, mount as Mount);
  mountIslands();
}

/** Brings to life what is there and is not alive yet, and ends what is not there any more. */
export function mountIslands(): void {
  for (const [root, end] of mounted)
    if (!root.isConnected) {
      mounted.delete(root);
      end?.();
    }
  for (const root of document.querySelectorAll<HTMLElement>("[data-island]")) {
    const mount = islands.get(root.dataset.island ?? "");
    if (mount === undefined || mounted.has(root)) continue;
    mounted.set(root, mount(root, JSON.parse(root.dataset.props ?? "{}")));
  }
}
