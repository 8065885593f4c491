/** What is wrong or not known, as a code: words for it are made where people read it. */

/** Texts and numbers that the words of a code name. */
export type Params = Readonly<Record<string, string | number>>;

export interface Fault {
  readonly code: string;
  readonly params: Params;
}

export const fault = (code: string, params: Params = {}): Fault => ({ code, params });
