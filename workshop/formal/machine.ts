/**
 * Runs compiled Yul on formulas: call data, storage, time and caller may be anything, and every way through the code is
 * taken. What it does not know it refuses, rather than to guess.
 *
 * Assumed: no two different inputs have the same keccak256, and none has one below 2^128 (so that no mapping's slot is
 * another variable's). A call sends no native coin.
 */
import { Memory } from "./memory.ts";
import { literal, nonZero, operate, smt, type Word } from "./terms.ts";
import { type Block, type Expression, type FunctionDefinition, literalOf, type Statement } from "./yul.ts";

export interface Path {
  /** `failed`: an assert did not hold. `reverted`: any other revert, also for arithmetic that overflows. */
  readonly outcome: "returned" | "reverted" | "failed";
  /** SMT-LIB: satisfiable if and only if the path can be taken. */
  readonly formula: string;
}

const PANIC = 0x4e487b71n << 224n;
const ASSERT = 1n;
const MAX_PATHS = 512;

class Ended extends Error {
  readonly outcome: Path["outcome"];
  constructor(outcome: Path["outcome"]) {
    super(outcome);
    this.outcome = outcome;
  }
}
class Left extends Error {}

/** Every path of a call with this selector. @param words how many words of arguments the call brings */
export function pathsOf(code: Block, selector: bigint, words: number): Path[] {
  const paths: Path[] = [];
  const open: boolean[][] = [[]];
  for (let decisions = open.pop(); decisions !== undefined; decisions = open.pop()) {
    if (paths.length === MAX_PATHS) throw new Error(`More than ${MAX_PATHS} paths.`);
    const machine = new Machine(code, selector, words, decisions);
    paths.push(machine.run());
    open.push(...machine.untaken);
  }
  return paths;
}

class Machine {
  /** The decisions that lead to the ways that this run saw and did not take. */
  readonly untaken: boolean[][] = [];
  readonly #code: Block;
  readonly #decisions: readonly boolean[];
  readonly #taken: boolean[] = [];
  readonly #selector: bigint;
  readonly #size: number;
  readonly #memory = new Memory();
  readonly #lines: string[] = ["(declare-const storage0 (Array (_ BitVec 256) (_ BitVec 256)))"];
  readonly #declared = new Set<string>();
  readonly #hashes: { readonly words: readonly string[]; readonly is: string }[] = [];
  readonly #functions = new Map<string, FunctionDefinition>();
  #storage = 0;
  #names = 0;

  constructor(code: Block, selector: bigint, words: number, decisions: readonly boolean[]) {
    this.#code = code;
    this.#selector = selector;
    this.#size = 4 + 32 * words;
    this.#decisions = decisions;
  }

  run(): Path {
    let outcome: Path["outcome"] = "returned";
    try {
      this.#block(this.#code, new Map());
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      outcome = error.outcome;
    }
    return { outcome, formula: this.#lines.join("\n") };
  }

  #block(block: Block, outer: Map<string, Word>): void {
    // A block sees and assigns the variables around it; Yul does not let it declare one of the same name again.
    for (const statement of block.statements)
      if (statement.nodeType === "YulFunctionDefinition") this.#functions.set(statement.name, statement);
    for (const statement of block.statements) this.#statement(statement, outer);
  }

  #statement(node: Statement, names: Map<string, Word>): void {
    switch (node.nodeType) {
      case "YulFunctionDefinition":
        return;
      case "YulBlock":
        this.#block(node, names);
        return;
      case "YulExpressionStatement":
        this.#values(node.expression, names);
        return;
      case "YulVariableDeclaration":
      case "YulAssignment": {
        const targets = node.nodeType === "YulAssignment" ? node.variableNames : node.variables;
        const values = node.value ? this.#values(node.value, names) : targets.map(() => 0n);
        for (const [index, { name }] of targets.entries()) names.set(name, this.#named(values[index]!));
        return;
      }
      case "YulIf":
        if (this.#holds(this.#value(node.condition, names))) this.#block(node.body, names);
        return;
      case "YulSwitch": {
        const word = this.#value(node.expression, names);
        const chosen = node.cases.find(
          ({ value }) => value === "default" || this.#holds(operate("eq", [word, literalOf(value)])!),
        );
        if (chosen !== undefined) this.#block(chosen.body, names);
        return;
      }
      case "YulLeave":
        throw new Left();
      default:
        throw new Error(`Unknown to the machine: ${node.nodeType}`);
    }
  }

  /** Decides a condition that may be either: as told, or yes, leaving the no for another run. */
  #holds(word: Word): boolean {
    if (typeof word === "bigint") return word !== 0n;
    const told = this.#decisions[this.#taken.length];
    if (told === undefined) this.untaken.push([...this.#taken, false]);
    const yes = told ?? true;
    this.#taken.push(yes);
    this.#lines.push(`(assert ${yes ? nonZero(word) : `(= ${word} ${literal(0n)})`})`);
    return yes;
  }

  #named(word: Word): Word {
    if (typeof word === "bigint" || !word.startsWith("(")) return word;
    const name = `v${this.#names++}`;
    this.#lines.push(`(define-fun ${name} () (_ BitVec 256) ${word})`);
    return name;
  }

  #value(node: Expression, names: Map<string, Word>): Word {
    const values = this.#values(node, names);
    if (values.length !== 1) throw new Error(`${values.length} values where one is expected.`);
    return values[0]!;
  }

  #values(node: Expression, names: Map<string, Word>): Word[] {
    if (node.nodeType === "YulLiteral") return [literalOf(node)];
    if (node.nodeType === "YulIdentifier") {
      const value = names.get(node.name);
      if (value === undefined) throw new Error(`No variable ${node.name}.`);
      return [value];
    }
    const { name } = node.functionName;
    // Yul evaluates arguments from the last to the first.
    const args: Word[] = [];
    for (const argument of [...node.arguments].reverse()) args.unshift(this.#value(argument, names));
    const own = this.#functions.get(name);
    if (own !== undefined) return this.#call(own, args);
    const result = operate(name, args) ?? this.#builtin(name, args);
    return result === undefined ? [] : [this.#named(result)];
  }

  #call(definition: FunctionDefinition, args: readonly Word[]): Word[] {
    const names = new Map<string, Word>();
    for (const [index, { name }] of (definition.parameters ?? []).entries()) names.set(name, args[index]!);
    for (const { name } of definition.returnVariables ?? []) names.set(name, 0n);
    try {
      this.#block(definition.body, names);
    } catch (error) {
      if (!(error instanceof Left)) throw error;
    }
    return (definition.returnVariables ?? []).map(({ name }) => names.get(name)!);
  }

  #builtin(name: string, args: readonly Word[]): Word | undefined {
    switch (name) {
      case "memoryguard":
        return args[0];
      case "callvalue":
        return 0n;
      case "calldatasize":
        return BigInt(this.#size);
      case "calldataload":
        return this.#callData(known(args[0]));
      case "calldatacopy": {
        const [to, from, length] = args.map(known) as [number, number, number];
        if (length % 32 !== 0) throw new Error("`calldatacopy` of parts of words");
        for (let at = 0; at < length; at += 32) this.#memory.store(to + at, this.#callData(from + at));
        return undefined;
      }
      case "timestamp":
        return this.#free(name, 256);
      case "address":
      case "caller":
        return this.#free(name, 160);
      case "mload":
        return this.#memory.load(known(args[0]));
      case "mstore":
        this.#memory.store(known(args[0]), args[1]!);
        return undefined;
      case "sload":
        return `(select storage${this.#storage} ${smt(args[0]!)})`;
      case "sstore":
        this.#lines.push(
          `(define-fun storage${this.#storage + 1} () (Array (_ BitVec 256) (_ BitVec 256)) (store storage${this.#storage++} ${smt(args[0]!)} ${smt(args[1]!)}))`,
        );
        return undefined;
      case "keccak256":
        return this.#hash(known(args[0]), known(args[1]));
      case "pop":
        return undefined;
      case "return":
      case "stop":
        throw new Ended("returned");
      case "revert": {
        const asserted =
          known(args[1]) === 0x24 &&
          this.#memory.load(4) === ASSERT &&
          operate("shr", [224n, this.#memory.load(0)]) === PANIC >> 224n;
        throw new Ended(asserted ? "failed" : "reverted");
      }
      default:
        if (/^log[0-4]$/.test(name)) return undefined;
        throw new Error(`Unknown to the machine: ${name}`);
    }
  }

  /** The selector is given, the arguments may be anything, and behind them are zeros. */
  #callData(at: number): Word {
    // The first word is read for its first four bytes alone, to find the function.
    if (at === 0) return this.#selector << 224n;
    if (at >= this.#size) return 0n;
    if (at % 32 !== 4) throw new Error(`Call data read at ${at}, between two words.`);
    return this.#free(`argument${(at - 4) / 32}`, 256);
  }

  #free(name: string, bits: number): string {
    if (!this.#declared.has(name)) {
      this.#declared.add(name);
      this.#lines.push(`(declare-const ${name} (_ BitVec 256))`);
      if (bits < 256) this.#lines.push(`(assert (bvult ${name} ${literal(1n << BigInt(bits))}))`);
    }
    return name;
  }

  #hash(at: number, length: number): string {
    if (length % 32 !== 0) throw new Error("keccak256 of parts of words");
    const words = Array.from({ length: length / 32 }, (_, index) => smt(this.#memory.load(at + 32 * index)));
    const is = this.#free(`hash${this.#hashes.length}`, 256);
    this.#lines.push(`(assert (bvugt ${is} ${literal((1n << 128n) - 1n)}))`);
    for (const other of this.#hashes) {
      const alike =
        other.words.length === words.length
          ? `(and true ${words.map((word, index) => `(= ${word} ${other.words[index]})`).join(" ")})`
          : "false";
      this.#lines.push(`(assert (= (= ${is} ${other.is}) ${alike}))`);
    }
    this.#hashes.push({ words, is });
    return is;
  }
}

function known(word: Word | undefined): number {
  if (typeof word !== "bigint") throw new Error(`A place in memory or call data that depends on ${word}.`);
  return Number(word);
}
