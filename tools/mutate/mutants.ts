/** Mutants of a Solidity source, found in the compiler's own syntax tree: what the compiler reads is what is changed. */
import { semanticMutants } from "./semantic.ts";
import { children, isNode, type Node } from "./tree.ts";

export interface Mutant {
  /** Stable as long as the code around it is: file, function, what was changed, and which of equal ones. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

const OPERATORS: Record<string, readonly string[]> = {
  "<": ["<="],
  ">": [">="],
  "==": ["!="],
  "!=": ["=="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "^=": ["|=", "&="],
  "|=": ["=", "&="],
};

/** Members of a trade that are easily taken for each other. */
const MEMBERS: Record<string, string> = {
  owner: "recipient",
  recipient: "owner",
  inputToken: "outputToken",
  outputToken: "inputToken",
  amountIn: "minAmountOut",
  minAmountOut: "amountIn",
  issuedAt: "expiresAt",
  expiresAt: "issuedAt",
  evidenceHash: "policyHash",
  jobId: "evidenceHash",
  policyHash: "jobId",
  route: "recipient",
  nonce: "deadline",
  deadline: "nonce",
};

const YUL_FUNCTIONS: Record<string, string> = {
  add: "sub",
  gt: "lt",
  and: "or",
  or: "and",
  iszero: "",
};

export function mutantsOf(file: string, source: string, tree: unknown): Mutant[] {
  const bytes = Buffer.from(source);
  const found: Mutant[] = [];
  const counts = new Map<string, number>();

  const range = (node: Node): [number, number] => {
    const [start, length] = node.src.split(":").map(Number) as [number, number];
    return [start, start + length];
  };
  const text = (start: number, end: number) => bytes.subarray(start, end).toString();

  /** @param named what the change is called, where the replacement itself would not say it */
  function add(where: string, start: number, end: number, replacement: string, named?: string): void {
    const original = text(start, end);
    const squeezed = original.replace(/\s+/g, " ");
    const nothing = replacement === "" || replacement === "{}";
    const name =
      named === undefined
        ? `${file} ${where}: ${squeezed} -> ${nothing ? "nothing" : replacement.replace(/\s+/g, " ")}`
        : `${file} ${where}: ${`${firstWords(squeezed)} ${named}`.trim()}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    found.push({
      id: count === 1 ? name : `${name} #${count}`,
      file,
      line: text(0, start).split("\n").length,
      start,
      end,
      original: squeezed,
      replacement,
    });
  }

  /** Where an operator stands between two operands. */
  function between(where: string, left: Node, right: Node, operator: string): void {
    const from = range(left)[1];
    const at = bytes.indexOf(operator, from);
    if (at < 0 || at > range(right)[0]) return;
    for (const other of OPERATORS[operator] ?? []) add(where, at, at + operator.length, other);
  }

  function visit(node: Node, where: string): void {
    const [start, end] = range(node);
    switch (node.nodeType) {
      case "ImportDirective":
      case "StructDefinition":
      case "ErrorDefinition":
      case "EventDefinition":
      case "UsingForDirective":
        return;
      case "FunctionDefinition":
      case "ModifierDefinition":
        where = (node.name as string) || (node.kind as string);
        break;
      case "ModifierInvocation":
        if (node.kind === "modifierInvocation") add(where, start, end, "");
        return;
      case "VariableDeclaration":
        if (node.stateVariable === true && isNode(node.value)) visit(node.value, node.name as string);
        return;
      case "IfStatement": {
        const condition = range(node.condition as Node);
        add(where, ...condition, "false");
        add(where, ...condition, "true");
        break;
      }
      case "BinaryOperation":
        between(where, node.leftExpression as Node, node.rightExpression as Node, node.operator as string);
        break;
      case "Assignment":
        between(where, node.leftHandSide as Node, node.rightHandSide as Node, node.operator as string);
        break;
      case "Conditional": {
        const [yes, no] = [range(node.trueExpression as Node), range(node.falseExpression as Node)];
        add(where, ...yes, text(...no));
        add(where, ...no, text(...yes));
        break;
      }
      case "UnaryOperation":
        if (node.operator === "!") add(where, start, start + 1, "");
        break;
      case "Literal":
        if (node.kind === "number" && where !== "") {
          const value = node.value as string;
          if (/^\d+$/.test(value)) add(where, start, start + value.length, String(BigInt(value) + 1n));
        }
        if (node.kind === "bool") add(where, start, end, node.value === "true" ? "false" : "true");
        return;
      case "MemberAccess": {
        const other = MEMBERS[node.memberName as string];
        const of = isNode(node.expression) ? (node.expression.name as string) : "";
        if (other !== undefined && (of === "intent" || of === "certificate"))
          add(where, end - (node.memberName as string).length, end, other);
        break;
      }
      case "ExpressionStatement":
      case "EmitStatement":
        add(where, start, bytes.indexOf(";", end) + 1, "{}");
        break;
      case "Return":
        if (isNode(node.expression) && (node.expression.nodeType as string) === "Identifier")
          add(where, start, end, "return 0");
        break;
      case "InlineAssembly":
        yul(node.AST as Node, where);
        return;
      case "RevertStatement":
        // To drop it is the condition made false, and what it tells is held by the tests.
        return;
    }
    for (const child of children(node)) visit(child, where);
  }

  function yul(node: Node, where: string): void {
    const [start, end] = range(node);
    if (node.nodeType === "YulExpressionStatement") add(`${where} (assembly)`, start, end, "");
    if (node.nodeType === "YulLiteral" && node.kind === "number") {
      const value = text(start, end);
      add(`${where} (assembly)`, start, end, `0x${(BigInt(value) + 1n).toString(16)}`);
    }
    if (node.nodeType === "YulFunctionCall") {
      const name = node.functionName as Node;
      const other = YUL_FUNCTIONS[name.name as string];
      if (other === "") {
        const argument = (node.arguments as Node[])[0]!;
        add(`${where} (assembly)`, start, end, text(...range(argument)));
      } else if (other !== undefined) add(`${where} (assembly)`, ...range(name), other);
    }
    for (const child of children(node)) yul(child, where);
  }

  visit(tree as Node, "");
  semanticMutants(tree as Node, { range, text, add });
  return found;
}

/** Enough of a statement to find it by. */
const firstWords = (statement: string): string =>
  statement.length <= 60 ? statement : `${statement.slice(0, 60)}…`;

export function applied(source: string, mutant: Mutant): string {
  const bytes = Buffer.from(source);
  return Buffer.concat([
    bytes.subarray(0, mutant.start),
    Buffer.from(mutant.replacement),
    bytes.subarray(mutant.end),
  ]).toString();
}
