/** Mutants that read like an error of typing: another operator, a condition that always or never holds, a neighbour's name. */
import OTHERS from "./others.json" with { type: "json" };
import type { Edits } from "./semantic.ts";
import { children, isNode, type Node } from "./tree.ts";

const OPERATORS: Record<string, readonly string[]> = OTHERS.operators;
/** Members of a trade that are easily taken for each other. */
const MEMBERS: Record<string, string> = OTHERS.members;
const YUL_FUNCTIONS: Record<string, string> = OTHERS.yulFunctions;
/** @returns where the node's own nodes are, such as the name of a function; null: they are left as they are */
type Change = (edits: Edits, node: Node, where: string) => string | null;

const leave: Change = () => null;
const named: Change = (_edits, node) => (node.name as string) || (node.kind as string);
const emptied: Change = (edits, node, where) => {
  const [start, end] = edits.range(node);
  edits.add(where, start, edits.find(";", end) + 1, "{}");
  return where;
};

const CHANGES: Readonly<Record<string, Change>> = {
  ImportDirective: leave,
  StructDefinition: leave,
  ErrorDefinition: leave,
  EventDefinition: leave,
  UsingForDirective: leave,
  // To drop it is the condition made false, and what it tells is held by the tests.
  RevertStatement: leave,
  FunctionDefinition: named,
  ModifierDefinition: named,
  ExpressionStatement: emptied,
  EmitStatement: emptied,
  ModifierInvocation(edits, node, where) {
    if (node.kind === "modifierInvocation") edits.add(where, ...edits.range(node), "");
    return null;
  },
  VariableDeclaration(edits, node) {
    if (node.stateVariable === true && isNode(node.value))
      typoMutants(node.value, node.name as string, edits);
    return null;
  },
  IfStatement(edits, node, where) {
    const condition = edits.range(node.condition as Node);
    edits.add(where, ...condition, "false");
    edits.add(where, ...condition, "true");
    return where;
  },
  BinaryOperation(edits, node, where) {
    between(edits, where, [node.leftExpression, node.rightExpression], node.operator as string);
    return where;
  },
  Assignment(edits, node, where) {
    between(edits, where, [node.leftHandSide, node.rightHandSide], node.operator as string);
    return where;
  },
  Conditional(edits, node, where) {
    const [yes, no] = [edits.range(node.trueExpression as Node), edits.range(node.falseExpression as Node)];
    edits.add(where, ...yes, edits.text(...no));
    edits.add(where, ...no, edits.text(...yes));
    return where;
  },
  UnaryOperation(edits, node, where) {
    const [start] = edits.range(node);
    if (node.operator === "!") edits.add(where, start, start + 1, "");
    return where;
  },
  Literal(edits, node, where) {
    const [start, end] = edits.range(node);
    const value = node.value as string;
    if (node.kind === "number" && where !== "" && /^\d+$/.test(value))
      edits.add(where, start, start + value.length, String(BigInt(value) + 1n));
    if (node.kind === "bool") edits.add(where, start, end, value === "true" ? "false" : "true");
    return null;
  },
  MemberAccess(edits, node, where) {
    const [, end] = edits.range(node);
    const member = node.memberName as string;
    const other = MEMBERS[member];
    const of = isNode(node.expression) ? (node.expression.name as string) : "";
    if (other !== undefined && (of === "intent" || of === "certificate"))
      edits.add(where, end - member.length, end, other);
    return where;
  },
  Return(edits, node, where) {
    if (isNode(node.expression) && (node.expression.nodeType as string) === "Identifier")
      edits.add(where, ...edits.range(node), "return 0");
    return where;
  },
  InlineAssembly(edits, node, where) {
    yulMutants(node.AST as Node, where, edits);
    return null;
  },
};

export function typoMutants(node: Node, where: string, edits: Edits): void {
  const change = CHANGES[node.nodeType];
  const inside = change === undefined ? where : change(edits, node, where);
  if (inside === null) return;
  for (const child of children(node)) typoMutants(child, inside, edits);
}

/** Where an operator stands between two operands. */
function between(edits: Edits, where: string, operands: readonly [unknown, unknown], operator: string): void {
  const [left, right] = operands as readonly [Node, Node];
  const at = edits.find(operator, edits.range(left)[1]);
  if (at < 0 || at > edits.range(right)[0]) return;
  for (const other of OPERATORS[operator] ?? []) edits.add(where, at, at + operator.length, other);
}

function yulMutants(node: Node, where: string, edits: Edits): void {
  const { range, text, add } = edits;
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
  for (const child of children(node)) yulMutants(child, where, edits);
}
