/** Yul as the compiler gives its syntax tree, as far as the machine reads it. */

interface Named {
  readonly name: string;
}

export interface Block {
  readonly nodeType: "YulBlock";
  readonly statements: readonly Statement[];
}

export interface FunctionDefinition {
  readonly nodeType: "YulFunctionDefinition";
  readonly name: string;
  readonly parameters?: readonly Named[];
  readonly returnVariables?: readonly Named[];
  readonly body: Block;
}

export interface Literal {
  readonly nodeType: "YulLiteral";
  readonly kind: "number" | "bool" | "string";
  readonly value: string;
  readonly hexValue?: string;
}

export type Expression =
  | Literal
  | { readonly nodeType: "YulIdentifier"; readonly name: string }
  | {
      readonly nodeType: "YulFunctionCall";
      readonly functionName: Named;
      readonly arguments: readonly Expression[];
    };

export type Statement =
  | Block
  | FunctionDefinition
  | { readonly nodeType: "YulExpressionStatement"; readonly expression: Expression }
  | {
      readonly nodeType: "YulVariableDeclaration";
      readonly variables: readonly Named[];
      readonly value?: Expression | null;
    }
  | {
      readonly nodeType: "YulAssignment";
      readonly variableNames: readonly Named[];
      readonly value: Expression;
    }
  | { readonly nodeType: "YulIf"; readonly condition: Expression; readonly body: Block }
  | {
      readonly nodeType: "YulSwitch";
      readonly expression: Expression;
      readonly cases: readonly { readonly value: Literal | "default"; readonly body: Block }[];
    }
  | { readonly nodeType: "YulLeave" }
  | { readonly nodeType: "YulForLoop" | "YulBreak" | "YulContinue" };

export function literalOf({ kind, value, hexValue }: Literal): bigint {
  if (kind === "string") return BigInt(`0x${(hexValue ?? "").padEnd(64, "0")}`);
  if (kind === "bool") return value === "true" ? 1n : 0n;
  return BigInt(value);
}
