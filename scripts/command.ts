/** A command is one object: its words, its arguments and options, and its function. Help, checks and types come from it. */
import type { World } from "./console.ts";

/** Makes a value of what was typed. @throws UsageError whose message goes on after the option's name, without a full stop: `must be a day` */
export type Form<T> = (typed: string) => T;

const asTyped: Form<string> = (typed) => typed;

/** An option; `T` is what the command gets of it. */
export interface Option<T = unknown> {
  readonly words: string;
  /** What the help calls its value: `FILE`; null: it is there or not. */
  readonly value: string | null;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** @param typed its values; of an option without one, whatever is there @throws UsageError as a form does */
  read(typed: readonly string[]): T;
}
export type Options = Readonly<Record<string, Option>>;

export const flag = (words: string): Option<boolean> => ({
  words,
  value: null,
  isList: false,
  isRequired: false,
  read: (typed) => typed.length > 0,
});

/** An option with a value. */
export function text(value: string, words: string): Option<string | undefined>;
export function text<T>(value: string, words: string, form: Form<T>): Option<T | undefined>;
export function text(value: string, words: string, form: Form<unknown> = asTyped): Option {
  return {
    words,
    value,
    isList: false,
    isRequired: false,
    read: ([typed]) => (typed === undefined ? undefined : form(typed)),
  };
}

/** An option that may be given several times. */
export function list(value: string, words: string): Option<readonly string[]>;
export function list<T>(value: string, words: string, form: Form<T>): Option<readonly T[]>;
export function list(value: string, words: string, form: Form<unknown> = asTyped): Option {
  return {
    words,
    value,
    isList: true,
    isRequired: false,
    read: (typed) => typed.map((one) => form(one)),
  };
}

/** Without it the command line is invalid. */
export const required = <T>(option: Option<T | undefined>): Option<T> => ({
  ...option,
  words: `${option.words}; required`,
  isRequired: true,
  read: (typed) => option.read(typed) as T,
});

/** It has this value where it is not typed. */
export const withDefault = <T extends string | number | bigint>(
  option: Option<T | undefined>,
  value: T,
): Option<T> => ({
  ...option,
  words: `${option.words} (${value})`,
  read: (typed) => option.read(typed) ?? value,
});

/** An argument; `T` is what the command gets of it. */
export interface Argument<T = unknown> {
  readonly words: string;
  readonly isOptional: boolean;
  /** @throws UsageError as a form does */
  read(typed: string | undefined): T;
}
/** By name, in their order. */
export type Positionals = Readonly<Record<string, Argument>>;

export function argument(words: string): Argument<string>;
export function argument<T>(words: string, form: Form<T>): Argument<T>;
export function argument(words: string, form: Form<unknown> = asTyped): Argument {
  return { words, isOptional: false, read: (typed = "") => form(typed) };
}

export const optionalArgument = (words: string): Argument<string | undefined> => ({
  words,
  isOptional: true,
  read: (typed) => typed,
});

/** What options give, by their names: `--admin-proof` is `adminProof`. */
export type GivenBy<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};
/** The same of arguments. */
type Arguments<P extends Positionals> = {
  readonly [Name in keyof P]: P[Name] extends Argument<infer T> ? T : never;
};

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
  run(given: Arguments<P> & GivenBy<O>, world: World): Promise<number>;
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
