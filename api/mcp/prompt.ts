/** The prompt that walks a host through a whole trade. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";
import { filled } from "../../attestor/view/language.ts";
import { WHOLE_TRADE } from "./guide.ts";
import PROMPT_WORDS from "./prompt.json" with { type: "json" };

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
