/**
 * Mutants that look like the mistakes of a tired engineer and not like typing errors. Statements are reordered, a
 * condition added, a type narrowed, a neighbor used by mistake, state left behind or taken along, an event changed.
 * All from the syntax tree; mutants that do not compile are counted as such.
 */
import { children, isNode, type Node } from "./tree.ts";

export interface Edits {
  /** Where a node begins and ends, in bytes. */
  range(node: Node): [number, number];
  text(start: number, end: number): string;
  /** Where a text begins, from a byte on; negative: nowhere. */
  find(text: string, from: number): number;
  /** @param name what the change is called, where the replacement itself would not say it */
  add(where: string, start: number, end: number, replacement: string, name?: string): void;
}

/** What the mutants of a function need to know of the contract around it. */
interface Scope {
  readonly where: string;
  readonly mutability: string;
  readonly state: readonly Node[];
  /** Whether a parameter or variable `intent` of the struct is there to be read. */
  readonly intent: boolean;
}

/** The next narrower type, by the type that the compiler found. Times are checked against that of the block. */
const NARROWER: Record<string, string> = { uint256: "uint128", uint64: "uint32", bytes4: "bytes3" };
const MASK = `0x${"f".repeat(32)}`;
const EFFECTS = new Set(["ExpressionStatement", "EmitStatement"]);
const DEFAULTS: Record<string, string> = { address: "address(0)", uint256: "0", uint64: "0", bool: "false" };

const typeOf = (node: Node): string =>
  (node.typeDescriptions as { typeString?: string } | undefined)?.typeString ?? "";
const statementsOf = (block: unknown): Node[] =>
  isNode(block) && Array.isArray(block.statements) ? (block.statements as Node[]).filter(isNode) : [];

const BODIES = new Set(["FunctionDefinition", "ModifierDefinition"]);

export function semanticMutants(tree: Node, edits: Edits): void {
  for (const contract of children(tree)) {
    if (BODIES.has(contract.nodeType)) inFunction(contract, [], edits);
    if (contract.nodeType !== "ContractDefinition") continue;
    const members = [...children(contract)];
    const state = members.filter(
      (node) => node.nodeType === "VariableDeclaration" && node.mutability === "mutable",
    );
    for (const member of members) if (BODIES.has(member.nodeType)) inFunction(member, state, edits);
  }
}

function inFunction(definition: Node, state: readonly Node[], edits: Edits): void {
  if (!isNode(definition.body)) return;
  const where = (definition.name as string) || (definition.kind as string);
  const parameters = [...children(definition.parameters as Node)];
  const scope: Scope = {
    where,
    mutability: (definition.stateMutability as string | undefined) ?? "nonpayable",
    state,
    intent: parameters.some(({ name }) => name === "intent"),
  };
  otherState(definition, scope, edits);
  visit(definition.body, scope, edits);
}

function visit(node: Node, scope: Scope, edits: Edits): void {
  if (node.nodeType === "Block") otherOrder(node, scope, edits);
  if (node.nodeType === "IfStatement") oneConditionMore(node, scope, edits);
  if (node.nodeType === "EmitStatement") otherEvent(node, scope, edits);
  if (node.nodeType === "BinaryOperation") narrowerOperands(node, scope, edits);
  if (node.nodeType === "FunctionCall") narrowerArguments(node, scope, edits);
  if (node.nodeType === "ExpressionStatement") stateKept(node, scope, edits);
  if (node.nodeType === "Identifier") neighbour(node, scope, edits);
  if (node.nodeType === "IndexAccess") otherKey(node, scope, edits);
  if (node.nodeType === "YulAssignment") narrowerWord(node, scope, edits);
  if (node.nodeType === "RevertStatement") return;
  for (const child of children(node)) visit(child, scope, edits);
}

/** Neighbours change places, and what has an effect comes last; two checks that change places fail alike. */
function otherOrder(block: Node, { where }: Scope, { range, text, add }: Edits): void {
  const statements = statementsOf(block);
  statements.forEach((statement, index) => {
    const [start] = range(statement);
    const next = statements[index + 1];
    if (next === undefined || statement.nodeType === "Return") return;
    const [after, end] = range(next);
    const moved = text(start, after).trim();
    const bothAssign = isAssignment(statement) && isAssignment(next);
    if (!bothAssign && (EFFECTS.has(statement.nodeType) || EFFECTS.has(next.nodeType)))
      add(where, start, end, `${ended(text(after, end))} ${moved}`, "and the next, the other way round");
    const last = range(statements.at(-1)!)[1];
    const guarded = /^if \(.*\) (?!revert)/.test(moved);
    const turned = `${ended(text(after, last))} ${moved}`;
    if (statements.length > index + 2 && (EFFECTS.has(statement.nodeType) || guarded))
      add(where, start, last, turned, "and what follows, the other way round");
  });
}

const isAssignment = ({ expression }: Node): boolean =>
  isNode(expression) && expression.nodeType === "Assignment";

/** The range of an expression's statement ends before its semicolon. */
const ended = (statement: string): string =>
  /[;}]$/.test(statement.trim()) ? statement : `${statement.trim()};`;

/** A check that does not hold for somebody, or for some trades, or for nothing. */
function oneConditionMore(node: Node, scope: Scope, { range, text, add }: Edits): void {
  if (scope.mutability === "pure" || !isNode(node.condition)) return;
  const [start, end] = range(node.condition);
  const condition = text(start, end);
  const exempt = (more: string) => add(scope.where, start, end, `(${condition}) && ${more}`);
  const addresses = scope.state.filter((variable) => typeOf(variable) === "address");
  for (const { name } of addresses.filter(({ name }) => !condition.includes(`msg.sender != ${name}`)))
    exempt(`msg.sender != ${name}`);
  if (scope.intent) {
    exempt("intent.recipient == intent.owner");
    exempt("msg.sender != intent.recipient");
  }
  if (node.condition.nodeType !== "BinaryOperation") return;
  const { rightExpression: right, operator } = node.condition as Node & { operator: string };
  if (isNode(right) && right.nodeType === "MemberAccess" && (operator === ">" || operator === "<"))
    exempt(`${text(...range(right))} != 0`);
}

/** Each member of an event is another of its type, or nothing. */
function otherEvent(node: Node, { where }: Scope, { range, text, add }: Edits): void {
  const members = ((node.eventCall as Node).arguments as Node[]).filter(isNode);
  members.forEach((member, index) => {
    const [start, end] = range(member);
    const others = [...members.slice(index + 1), ...members.slice(0, index)];
    const other = others.find((candidate) => typeOf(candidate) === typeOf(member));
    if (other !== undefined) add(where, start, end, text(...range(other)));
    const nothing = DEFAULTS[typeOf(member)];
    if (nothing !== undefined && nothing !== text(start, end)) add(where, start, end, nothing);
  });
}

function narrow(node: Node, { where }: Scope, { range, text, add }: Edits): void {
  const narrower = NARROWER[typeOf(node)];
  if (narrower === undefined || !["MemberAccess", "Identifier"].includes(node.nodeType)) return;
  const [start, end] = range(node);
  const original = text(start, end);
  add(where, start, end, `${original === "block.timestamp" ? "uint32" : narrower}(${original})`);
}

function narrowerOperands(node: Node, scope: Scope, edits: Edits): void {
  for (const side of [node.leftExpression, node.rightExpression])
    if (isNode(side)) narrow(side, scope, edits);
}

function narrowerArguments(node: Node, scope: Scope, edits: Edits): void {
  for (const argument of node.arguments as unknown[]) if (isNode(argument)) narrow(argument, scope, edits);
}

function narrowerWord(node: Node, { where }: Scope, { range, text, add }: Edits): void {
  const value = node.value as Node;
  const name = (value.functionName as Node | undefined)?.name;
  if (name !== "mload" && name !== "keccak256") return;
  const [start, end] = range(value);
  add(`${where} (assembly)`, start, end, `and(${text(start, end)}, ${MASK})`);
}

/** A value that is assigned only over nothing, or only if it is something. */
function stateKept(node: Node, scope: Scope, { range, text, add }: Edits): void {
  const assignment = node.expression as Node;
  if (assignment.nodeType !== "Assignment" || assignment.operator !== "=") return;
  const left = assignment.leftHandSide as Node;
  if (!scope.state.some(({ name }) => name === left.name)) return;
  const nothing = DEFAULTS[typeOf(left)];
  if (nothing === undefined) return;
  const [start, end] = range(node);
  const [variable, statement] = [text(...range(left)), text(start, end)];
  const value = text(...range(assignment.rightHandSide as Node));
  add(scope.where, start, end, `if (${variable} == ${nothing}) ${statement}`);
  add(scope.where, start, end, `if (${value} != ${nothing}) ${statement}`);
}

/** What a function changes beside what it is there for: each variable of the contract that it does not name. */
function otherState(definition: Node, scope: Scope, { range, text, add }: Edits): void {
  const end = range(definition.body as Node)[1] - 1;
  const source = text(...range(definition));
  if (definition.visibility !== "external" || scope.mutability !== "nonpayable") return;
  for (const variable of scope.state) {
    const name = variable.name as string;
    const nothing = DEFAULTS[typeOf(variable)];
    if (nothing === undefined || new RegExp(`\\b${name}\\b`).test(source)) continue;
    const other = { false: "true", "0": `type(${typeOf(variable)}).max` }[nothing] ?? "msg.sender";
    for (const value of [nothing, other])
      add(scope.where, end, end, ` ${name} = ${value}; `, `and beside it ${name} = ${value}`);
  }
}

/** The variable of the contract that is declared next and has the same type. */
function neighbour(node: Node, scope: Scope, { range, add }: Edits): void {
  const at = scope.state.findIndex(({ name }) => name === node.name);
  if (at < 0 || typeOf(node) !== "address") return;
  const order = [...scope.state.slice(at + 1), ...scope.state.slice(0, at)];
  const other = order.find((variable) => typeOf(variable) === "address");
  if (other !== undefined) add(scope.where, ...range(node), other.name as string);
}

/** What is listed or used is looked up for somebody else. */
function otherKey(node: Node, scope: Scope, { range, text, add }: Edits): void {
  const key = node.indexExpression as Node;
  if (typeOf(key) !== "address" || scope.mutability === "pure") return;
  const [start, end] = range(key);
  for (const other of ["msg.sender", ...(scope.intent ? ["intent.owner", "intent.route"] : [])])
    if (other !== text(start, end)) add(scope.where, start, end, other);
}
