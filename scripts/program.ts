/** Runs a command to its end: what was typed, help, exit code, and errors in one line that says what to do next. */
import { CommanderError, Command as Parser, Option as ParserOption } from "commander";
import type { AnyCommand, Noun, Option, Options, Positionals } from "./command.ts";
import type { World } from "./console.ts";
import { CommandError, EXIT, EXIT_WORDS, type ExitCode, UsageError } from "./errors.ts";

/** What a program does with what was typed after its name. */
export type Main = (typed: readonly string[], world: World) => Promise<number>;

/** Words for an error of a library or of another room; null for one that nobody foresaw. */
export type Explain = (error: unknown) => Promise<{ readonly line: string; readonly exit: ExitCode } | null>;

const HELP_WIDTH = 110;

/** `--admin-proof` of `adminProof`. */
const typedName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function flagsOf(name: string, { value }: Option): string {
  return value === null ? `--${typedName(name)}` : `--${typedName(name)} <${value}>`;
}

const withHelp = (name: string) =>
  new Parser(name)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .configureHelp({ helpWidth: HELP_WIDTH })
    .helpCommand(false)
    .helpOption("-h, --help", "print this");

/** @param name as it is typed, such as `assay guard pause` */
function parserOf(name: string, { summary, positionals = {}, options = {}, notes = [] }: AnyCommand): Parser {
  const parser = withHelp(name).description(`${summary}.`).allowExcessArguments(false);
  for (const [argument, { words, isOptional }] of Object.entries(positionals as Positionals))
    parser.argument(isOptional ? `[${typedName(argument)}]` : `<${typedName(argument)}>`, words);
  for (const [option, made] of Object.entries(options as Options)) {
    const parsed = new ParserOption(flagsOf(option, made), made.words);
    if (made.isList) parsed.argParser((one, all: string[] = []) => [...all, one]);
    parser.addOption(parsed.makeOptionMandatory(made.isRequired));
  }
  if (notes.length > 0) parser.addHelpText("after", `\n${notes.join("\n")}`);
  return parser;
}

/** What was typed, by the names of arguments and options. @throws UsageError; CommanderError for help */
function givenOf(
  parser: Parser,
  { positionals = {}, options = {}, usage }: AnyCommand,
  typed: readonly string[],
) {
  try {
    parser.parse([...typed], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.code === "commander.helpDisplayed") throw error;
    throw new UsageError(usage ?? error.message.replace(/^error: /, ""));
  }
  const given: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options as Options)) {
    const values = parser.getOptionValue(name) ?? [];
    given[name] = inForm(`--${typedName(name)}`, () => option.read([values].flat().map(String)));
  }
  for (const [index, [name, argument]] of Object.entries(positionals as Positionals).entries())
    given[name] = inForm(typedName(name), () => argument.read(parser.processedArgs[index]));
  return given;
}

/** Makes the sentence of a form's fault, which says of which option or argument it is. */
function inForm<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${name} ${error.message}.`) : error;
  }
}

/**
 * @param name as it is typed
 * @returns the exit code
 */
export async function runCommand(
  name: string,
  made: AnyCommand,
  typed: readonly string[],
  world: World,
  explain: Explain = async () => null,
): Promise<number> {
  return await inWords(name, world, explain, () => runTyped(name, made, typed, world));
}

/** As `runCommand`. @throws as the command does, and UsageError */
export async function runTyped(
  name: string,
  made: AnyCommand,
  typed: readonly string[],
  world: World,
): Promise<number> {
  const parser = parserOf(name, made);
  let given: Record<string, unknown>;
  try {
    given = givenOf(parser, made, typed);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const lines: string[] = [];
    parser.configureOutput({ writeOut: (part) => void lines.push(part) }).outputHelp();
    world.out(lines.join("").trimEnd());
    return EXIT.ok;
  }
  return await made.run(given, world);
}

/** Turns errors that people can fix into their line and exit code. Of others only the kind is shown: their words may hold a secret. */
async function inWords(
  name: string,
  world: Pick<World, "err">,
  explain: Explain,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const known =
      error instanceof CommandError ? { line: error.message, exit: error.exitCode } : await explain(error);
    world.err(`${name}: ${known?.line ?? `this should not have happened (${(error as Error)?.name})`}`);
    if (error instanceof UsageError) world.err(`See ${name} --help.`);
    return known?.exit ?? EXIT.failed;
  }
}

/** The program over a tree of nouns and verbs. @param version printed for --version */
export function programOf(name: string, noun: Noun, version: string, explain: Explain): Main {
  return async (typed, world) => {
    if (typed[0] === "--version" || typed[0] === "-V") {
      world.out(version);
      return EXIT.ok;
    }
    const wantsHelp = typed[0] === "help";
    return await below(name, noun, wantsHelp ? [...typed.slice(1), "--help"] : typed, world, explain);
  };
}

async function below(
  name: string,
  noun: Noun,
  [verb, ...rest]: readonly string[],
  world: World,
  explain: Explain,
): Promise<number> {
  const found = verb !== undefined && Object.hasOwn(noun.verbs, verb) ? noun.verbs[verb] : undefined;
  if (typeof found === "function")
    return await runCommand(`${name} ${verb}`, await found(), rest, world, explain);
  if (found !== undefined) return await below(`${name} ${verb}`, found, rest, world, explain);
  const isHelp = verb === "--help" || verb === "-h";
  const isBare = verb === undefined || (verb.startsWith("-") && !isHelp);
  if (noun.bare !== undefined && isBare)
    return await runCommand(
      name,
      await noun.bare(),
      verb === undefined ? [] : [verb, ...rest],
      world,
      explain,
    );
  if (isHelp) {
    world.out(await nounHelp(name, noun));
    return EXIT.ok;
  }
  // What was typed is not repeated: it may be a secret.
  if (verb === undefined) world.err(await nounHelp(name, noun));
  else {
    const known = Object.keys(noun.verbs).join(", ");
    world.err(`${name}: there is no such command, only ${known}\nSee ${name} --help.`);
  }
  return EXIT.unusable;
}

async function nounHelp(name: string, { summary, bare, verbs }: Noun): Promise<string> {
  const parser = withHelp(name)
    .description(`${summary}.`)
    .usage(bare === undefined ? "<command>" : "[command]");
  for (const [verb, made] of Object.entries(verbs)) {
    const words = typeof made === "function" ? await made() : made;
    parser.command(verb).summary(words.summary);
  }
  const codes = Object.entries(EXIT_WORDS).map(
    ([code, words]) => `  ${EXIT[code as keyof typeof EXIT]}  ${words}`,
  );
  const more = name.includes(" ") ? [] : ["", "Exit codes:", ...codes];
  return [
    parser.helpInformation().trimEnd(),
    ...more,
    "",
    `${name} <command> --help says more about a command.`,
  ].join("\n");
}

/** Runs a program in this process: exit code, streams that let the process go. */
export async function runProgram(main: Main, world: World): Promise<void> {
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on("error", () => process.exit());
  process.exitCode = await main(process.argv.slice(2), world);
  // An open pipe that nobody reads any more would keep the process alive.
  process.stdin.destroy();
}
