/** Statements that every request makes: compiled once, bound anew each time. */
import type { Compilable, CompiledQuery } from "kysely";
import { type Database, type Engine, engineOf } from "./open.ts";

/** Stands for a parameter while the statement is compiled. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Form {
  readonly query: CompiledQuery;
  /** How many parameters it was compiled with. */
  readonly size: number;
}

/**
 * Kysely builds and compiles a statement each time it runs, which for a short one takes longer than running it.
 * @param build the statement of these parameters. It is called once for each engine, with placeholders: it may hand them
 *   to the query as values, and must not look at them
 * @returns runs it and gives its rows; throws what the query throws
 */
export function compiledOnce<P extends object, R = unknown>(
  build: (db: Database, parameters: P) => Compilable<R>,
): (db: Database, parameters: P) => Promise<R[]> {
  const forms = new Map<Engine, Form>();
  const formOf = (db: Database, names: readonly string[]): Form => {
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    const query = build(db, placeholders as P).compile();
    const form = { query, size: names.length };
    forms.set(engineOf(db), form);
    return form;
  };
  return async (db, parameters) => {
    const names = Object.keys(parameters);
    const { query, size } = forms.get(engineOf(db)) ?? formOf(db, names);
    if (names.length !== size) throw new TypeError("a statement is compiled for the same members each time");
    const values = query.parameters.map((value) =>
      value instanceof Placeholder ? boundTo(parameters, value.name) : value,
    );
    return (await db.executeQuery<R>({ ...query, parameters: values } as CompiledQuery<R>)).rows;
  };
}

function boundTo(parameters: object, name: string): unknown {
  const value = (parameters as Record<string, unknown>)[name];
  // The engines' drivers would read it as null, each in its own way.
  if (value === undefined) throw new TypeError(`the parameter ${name} is not there`);
  return value;
}
