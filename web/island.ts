/** Islands: the places of a page that script brings to life. The server marks each with `data-island="name"`. */

/**
 * Brings the places of that name to life.
 * @param mount is given the place, and what the server wrote into its `data-props` as JSON (`{}` without it)
 */
export function island<Props>(name: string, mount: (root: HTMLElement, props: Props) => void): void {
  // Sound as far as our own server is: the attribute is written by the page's template.
  for (const root of document.querySelectorAll<HTMLElement>(`[data-island="${name}"]`))
    mount(root, JSON.parse(root.dataset.props ?? "{}"));
}
