/** A command is one object: its words, its arguments and options, and its function. Help and types come from it. */
import type { World } from "./console.ts";

/** A switch that is there or not. */
interface Flag {
  readonly kind: "flag";
  readonly words: string;
}
/** An option with a value. */
interface Text {
  readonly kind: "text";
  /** What the help calls the value: `FILE`. */
  readonly value: string;
  readonly words: string;
}
/** An option that may be given several times. */
interface List {
  readonly kind: "list";
  readonly value: string;
  readonly words: string;
}
export type Option = Flag | Text | List;
export type Options = Readonly<Record<string, Option>>;

/** By name, in their order. */
export type Positionals = Readonly<Record<string, { readonly words: string; readonly isOptional?: true }>>;

export const flag = (words: string): Flag => ({ kind: "flag", words });
export const text = (value: string, words: string): Text => ({ kind: "text", value, words });
export const list = (value: string, words: string): List => ({ kind: "list", value, words });

type GivenOption<O extends Option> = O extends Flag
  ? boolean
  : O extends List
    ? readonly string[]
    : string | undefined;

/** What was typed, by the names of arguments and options: `--admin-proof` is `adminProof`. */
export type Given<P extends Positionals, O extends Options> = {
  readonly [Name in keyof P]: P[Name] extends { readonly isOptional: true } ? string | undefined : string;
} & { readonly [Name in keyof O]: GivenOption<O[Name]> };

export interface Command<P extends Positionals = Positionals, O extends Options = Options> {
  /** What it does, in a sentence without its full stop. */
  readonly summary: string;
  readonly positionals?: P;
  readonly options?: O;
  /** Lines after the options: what else a user must know, such as the settings that it reads. */
  readonly notes?: readonly string[];
  /** Said of an invalid command line in place of words that repeat what was typed: it may be a secret. */
  readonly usage?: string;
  /**
   * @returns the exit code
   * @throws CommandError for everything that the user can understand and fix
   */
  run(given: Given<P, O>, world: World): Promise<number>;
}

// biome-ignore lint/suspicious/noExplicitAny: what is typed becomes the command's own arguments, by its own object
export type AnyCommand = Command<any, any>;

type Nothing = Record<never, never>;

export function command<const P extends Positionals = Nothing, const O extends Options = Nothing>(
  made: Command<P, O>,
): Command<P, O> {
  return made;
}

/** Commands below a noun, each loaded when it is asked for. */
export interface Noun {
  readonly summary: string;
  /** What the noun does without a verb. */
  readonly bare?: () => Promise<AnyCommand>;
  readonly verbs: Verbs;
}
type Verbs = { readonly [name: string]: Noun | (() => Promise<AnyCommand>) };
