/** The prompt that walks a host through a whole trade. */
import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Text } from "../../attestor/values/primitives.ts";

const Line = Text.max(2_000);

export const PromptArguments = z.strictObject({
  trade: Line.optional(),
  ownerAddress: Line.optional(),
  policyId: Line.optional(),
});
type PromptArguments = z.infer<typeof PromptArguments>;

export const PROMPT: Prompt = {
  name: "verify_and_execute_trade",
  title: "Verify and execute a trade",
  description:
    "A whole trade: verification, payment where it is required, guarded execution, confirmation; with the places where the user's wallet must sign.",
  arguments: [
    { name: "trade", description: "What to trade, such as: buy AAPLx for 250 USD", required: false },
    { name: "ownerAddress", description: "Address of the user's wallet", required: false },
    { name: "policyId", description: "Policy to judge by; STRICT_LIVE by default", required: false },
  ],
};

export function promptFor({ trade, ownerAddress, policyId }: PromptArguments): GetPromptResult {
  const text = `Verify and execute one trade of a tokenized US stock with Assay's tools.

The trade: ${trade ?? "ask me what to trade, and how much."}
The owner's address: ${ownerAddress ?? "ask me for the address of my wallet."}
The policy: ${policyId ?? "STRICT_LIVE, unless I say otherwise."}

Go step by step, and stop as soon as a step does not allow the next one.
1. list_supported_assets: find the asset keys. Work out amountInRaw = amount x 10^decimals of the input token.
2. get_verification_policy: check that slippage and size fit the policy.
3. Tell me the exact trade and ask me to agree. Then prepare_verification with a new clientRequestId. If it answers a
   jobToken, give that with the jobId to every tool after it. If it answers payment_required, go on with step 4 first.
4. If payment.state is "required": purchase_verification without a signature answers the terms (accepts). Show me
   amount, token and recipient. MY WALLET SIGNS HERE, outside of these tools, and only if I agree: one x402 payment of
   accepts. Then the tool that answered the terms, with the payload's base64 as paymentSignature. Never pay twice: when an
   answer is lost, send the same payment again.
5. get_verification: read the decision. On DENY tell me which checks failed and end here.
6. prepare_guard_trade. On DENY end here. Show me amounts, minimum output, recipient and expiry.
7. MY WALLET SIGNS HERE, before the certificate expires: if approval.currentAllowance is below approval.amount, it sends
   approval.data to approval.token and waits until that is mined; then it sends guardCall as it is (to, data, value).
   If it takes wallet_sendCalls (EIP-5792), walletCalls is the parameter instead: both with one confirmation.
8. get_execution_status with the transaction hash, then without it every few seconds until the state is confirmed,
   reverted or mismatched. Tell me the amounts and the evidence hash.

Never ask me for a private key or a seed phrase, and never put one into a tool: it would be refused.`;
  return { description: PROMPT.description, messages: [{ role: "user", content: { type: "text", text } }] };
}
