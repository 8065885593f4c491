/** Islands: the places of a page that script brings to life. The server marks each with `data-island="name"`. */

type Mount = (root: HTMLElement, props: unknown) => void;

const islands = new Map<string, Mount>();
const mounted = new WeakSet<Element>();

/**
 * Says what becomes of the places of that name, at once and after each change of page.
 * @param mount is given the place, and what the server wrote into its `data-props` as JSON (`{}` without it)
 */
export function island<Props>(name: string, mount: (root: HTMLElement, props: Props) => void): void {
  // Sound as far as our own server is: the attribute is written by the page's template.
  islands.set(name, mount as Mount);
  mountIslands();
}

/** Brings to life what is there and is not alive yet. */
export function mountIslands(): void {
  for (const root of document.querySelectorAll<HTMLElement>("[data-island]")) {
    const mount = islands.get(root.dataset.island ?? "");
    if (mount === undefined || mounted.has(root)) continue;
    mounted.add(root);
    mount(root, JSON.parse(root.dataset.props ?? "{}"));
  }
}
