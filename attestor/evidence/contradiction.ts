/** Where evidence contradicts itself or public knowledge: a code, and what a sentence about it names. */
export interface Contradiction {
  readonly code: string;
  readonly params: Readonly<Record<string, string | number>>;
}

export const contradiction = (code: string, params: Contradiction["params"] = {}): Contradiction => ({
  code,
  params,
});
