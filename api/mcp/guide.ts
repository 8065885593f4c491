/** What guides a host through the tools: the guide, the instructions, the prompt of a whole trade, and completions. */
import { readFileSync } from "node:fs";
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { filled } from "../../attestor/view/language.ts";
import type { Backend } from "./backend.ts";
import PROMPT_WORDS from "./prompt.json" with { type: "json" };

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");

export const GUIDE = read("guide.md");
/** The instructions for a whole trade, with gaps for what the user said of it. */
const WHOLE_TRADE = read("wholeTrade.md").trimEnd();

export const INSTRUCTIONS = [
  "Assay verifies trades of tokenized US stocks and prepares them for an on-chain guard.",
  "Order of calls: list_supported_assets, get_verification_policy, prepare_verification, purchase_verification (when payment is required), prepare_guard_trade, then get_execution_status.",
  "Without an API key prepare_verification answers a jobToken with the jobId: give both to every tool after it. It is paid for there, where payment is required.",
  "The user's own wallet signs payments, approvals and trades outside of this server. Never send private keys or seed phrases: they are refused.",
  "Data is indicative only and is not advice. assay://guide has the details.",
].join(" ");

const Line = Text.max(2_000);

export const PromptArguments = z.strictObject({
  trade: Line.optional(),
  ownerAddress: Line.optional(),
  policyId: Line.optional(),
});
type PromptArguments = z.infer<typeof PromptArguments>;

export const PROMPT: Prompt = PROMPT_WORDS;

export function promptFor({ trade, ownerAddress, policyId }: PromptArguments): GetPromptResult {
  const text = filled(WHOLE_TRADE, {
    trade: trade ?? "ask me what to trade, and how much.",
    ownerAddress: ownerAddress ?? "ask me for the address of my wallet.",
    policyId: policyId ?? "STRICT_LIVE, unless I say otherwise.",
  });
  return { description: PROMPT.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

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
