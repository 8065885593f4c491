import { orElse } from "../../attestor/values/orElse.ts";
/** A request as the form of the reference page describes it. */

export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query";
  readonly required: boolean;
  /** What it can be; none: any text. */
  readonly options: readonly string[];
  readonly initial: string;
}

/** What the server writes of an operation (`api/docs/page.ts`). */
export interface Operation {
  /** The operation's id: no other has it. */
  readonly name: string;
  readonly method: string;
  /** With `{name}` for each parameter of the path. */
  readonly path: string;
  readonly key: boolean;
  readonly jobToken: boolean;
  readonly parameters: readonly Parameter[];
  /** A body to begin with, JSON; null: it takes none. */
  readonly body: string | null;
}

/**
 * The address of a request. Empty parameters of the query are left out.
 * @param values by name
 * @returns null where a parameter of the path is missing
 */
export function addressOf(
  { path, parameters }: Pick<Operation, "path" | "parameters">,
  values: Readonly<Record<string, string>>,
): string | null {
  const textOf = ({ name }: Parameter) => (values[name] ?? "").trim();
  const inPath = parameters.filter(({ place }) => place === "path");
  if (inPath.some((parameter) => textOf(parameter) === "")) return null;
  const filled = inPath.reduce(
    // A path of several parts keeps its slashes.
    (text, parameter) =>
      text.replace(`{${parameter.name}}`, () => encodeURIComponent(textOf(parameter)).replaceAll("%2F", "/")),
    path,
  );
  const query = new URLSearchParams(
    parameters.flatMap((parameter): [string, string][] =>
      parameter.place === "query" && textOf(parameter) !== "" ? [[parameter.name, textOf(parameter)]] : [],
    ),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}

/** More than this nobody reads, and a browser lays out slowly. */
const SHOWN = 60_000;

/** An answer's text for the eye: JSON with its lines, cut off where it is too long. */
export function shownText(text: string): { readonly text: string; readonly cut: boolean } {
  const laidOut = text.length > 20 * SHOWN ? text : pretty(text);
  return { text: laidOut.slice(0, SHOWN), cut: laidOut.length > SHOWN };
}

function pretty(text: string): string {
  return orElse(() => JSON.stringify(JSON.parse(text), null, 2), text);
}
