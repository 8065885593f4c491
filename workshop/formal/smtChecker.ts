/**
 * Asks the compiler's own SMTChecker, by its bounded engine: storage, arguments, caller and time may be anything. Its
 * queries go to the solver of npm in place of one that the machine would have to have.
 */
import { createRequire } from "node:module";
import { settings } from "../../build/solidity.ts";
import type { Solver } from "./solver.ts";

const require = createRequire(import.meta.url);

/** Of one assert. */
export interface Checked {
  /** The function that contains it. */
  readonly property: string;
  readonly outcome: "proved" | "refuted" | "unknown";
}

const OUTCOMES = [
  [/^BMC: Assertion violation check is safe/, "proved"],
  [/^BMC: Assertion violation happens here/, "refuted"],
  [/^BMC: (?:Assertion violation might happen|Error during interaction)/, "unknown"],
] as const;

/** How often it is asked again at most, until it asks for nothing new. */
const ROUNDS = 20;

interface Output {
  readonly auxiliaryInputRequested?: { readonly smtlib2queries: Readonly<Record<string, string>> };
  readonly errors?: readonly {
    readonly severity: string;
    readonly message: string;
    readonly formattedMessage: string;
    readonly sourceLocation?: { readonly start: number };
  }[];
}

/**
 * @param source a harness with the real code in it, of a contract of that name
 * @throws Error with the compiler's words when it does not compile
 */
export async function checkAsserts(name: string, source: string, solver: Solver): Promise<Checked[]> {
  const { compile } = require("solc") as { compile(input: string): string };
  // It does not implement errors with arguments; what a revert says is no part of these properties.
  const content = source.replace(/\brevert \w+\([^;]*\);/g, "revert();");
  const run = (smtlib2responses: Readonly<Record<string, string>>): Output => {
    const modelChecker = {
      engine: "bmc",
      targets: ["assert"],
      solvers: ["smtlib2"],
      contracts: { [name]: [name] },
      showProvedSafe: true,
      showUnproved: true,
    };
    const input = {
      language: "Solidity",
      sources: { [name]: { content } },
      settings: { evmVersion: settings.evmVersion, modelChecker, outputSelection: {} },
      auxiliaryInput: { smtlib2responses },
    };
    return JSON.parse(compile(JSON.stringify(input)));
  };
  const responses: Record<string, string> = {};
  const results = new Map<string, string>();
  let output = run(responses);
  // Behind the formula it asks for values, which only a counterexample in words would need: it gets none. But it names
  // them in the order of addresses in its memory, which the answers move: so it asks for the same formulas again.
  for (let round = 0; round < ROUNDS && output.auxiliaryInputRequested !== undefined; round++) {
    for (const [hash, query] of Object.entries(output.auxiliaryInputRequested.smtlib2queries)) {
      const [formula = ""] = query.split(/^\((?:declare-const \|EVALEXPR_0\||check-sat\))/m);
      const result = results.get(formula) ?? (await solver.solve(formula)).result;
      results.set(formula, result);
      responses[hash] = `${result}\n()`;
    }
    output = run(responses);
  }
  const { errors = [] } = output;
  const failed = errors.filter(({ severity }) => severity === "error");
  if (failed.length > 0) throw new Error(failed.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return errors.flatMap(({ message, sourceLocation }) => {
    const outcome = OUTCOMES.find(([words]) => words.test(message))?.[1];
    if (outcome === undefined || sourceLocation === undefined) return [];
    const before = content.slice(0, sourceLocation.start).matchAll(/\bfunction (\w+)/g);
    return [{ property: [...before].at(-1)![1]!.replaceAll("_", " "), outcome }];
  });
}
