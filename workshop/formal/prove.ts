/** Proves or refutes one property of a harness. */
import type { Harness, Property } from "./harness.ts";
import { pathsOf } from "./machine.ts";
import type { Solver } from "./solver.ts";

export interface Verdict {
  readonly property: Property;
  /** `vacuous`: no call gets through at all, so that the property says nothing. */
  readonly outcome: "proved" | "refuted" | "vacuous" | "unknown";
  readonly paths: number;
  /** Arguments, storage and time for which it does not hold. */
  readonly counterexample?: string;
}

/**
 * A property that `holds` has no way to a failed assert, and one that returns. A property that `refuses` has no way
 * that returns.
 */
export async function prove({ code }: Harness, property: Property, solver: Solver): Promise<Verdict> {
  const paths = pathsOf(code, property.selector, property.words);
  const verdict = { property, paths: paths.length };
  for (const { outcome, formula } of paths) {
    const forbidden = outcome === "failed" || (property.kind === "refuses" && outcome === "returned");
    if (!forbidden) continue;
    const { result, model } = await solver.solve(formula);
    if (result === "unknown") return { ...verdict, outcome: "unknown" };
    if (result === "sat") return { ...verdict, outcome: "refuted", counterexample: model };
  }
  if (property.kind === "refuses") return { ...verdict, outcome: "proved" };
  for (const { outcome, formula } of paths)
    if (outcome === "returned" && (await solver.solve(formula)).result === "sat")
      return { ...verdict, outcome: "proved" };
  return { ...verdict, outcome: "vacuous" };
}
