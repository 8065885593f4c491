/** Completes symbols and policies where MCP has hosts ask: in the prompt's arguments and in resource templates. */
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import type { Backend } from "./backend.ts";

export const CompleteParams = z.looseObject({
  ref: z.looseObject({ type: Text }),
  argument: z.looseObject({ name: Text, value: Text }),
});

/** @returns whole values, as they would replace what was typed; none for an argument that takes anything */
export async function completionsOf(
  backend: Backend,
  { argument: { name, value } }: z.infer<typeof CompleteParams>,
): Promise<string[]> {
  // A trade is described in words; the last of them may be a symbol.
  const words = name === "trade" ? value.slice(0, value.lastIndexOf(" ") + 1) : "";
  const typed = value.slice(words.length).toLowerCase();
  const all = await namesOf(backend, name);
  return [...new Set(all)].filter((each) => each.toLowerCase().startsWith(typed)).map((each) => words + each);
}

async function namesOf(backend: Backend, argument: string): Promise<string[]> {
  if (argument === "policyId") return (await backend.listPolicies()).policies.map(({ policyId }) => policyId);
  if (argument !== "symbol" && argument !== "trade") return [];
  return (await backend.listSupportedAssets()).assets.map(({ symbol }) => symbol);
}
