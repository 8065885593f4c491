/** Requests that take along what is known when they are made, such as the running trace. */

/** @param headers of a request that is about to be made; null: none */
export function withHeaders(
  request: typeof fetch,
  headers: () => Readonly<Record<string, string>> | null,
): typeof fetch {
  return (input, init) => {
    const more = headers();
    if (more === null) return request(input, init);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(more)) all.set(name, value);
    return request(input, { ...init, headers: all });
  };
}
