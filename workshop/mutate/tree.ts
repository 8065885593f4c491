/** The compiler's syntax tree, as far as the mutants look at it. */
export interface Node {
  readonly nodeType: string;
  readonly src: string;
  readonly [key: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).nodeType === "string";

export function* children(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
}
