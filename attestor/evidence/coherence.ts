/** Whether the parts of one piece of evidence speak of the same trade. */
import { addressOf } from "../values/primitives.ts";
import type { Evidence } from "./evidence.ts";

/** What in the evidence contradicts its intent; null when nothing does. */
export function contradictionIn(evidence: Evidence): string | null {
  return contradictionInTrade(evidence) ?? contradictionInFacts(evidence);
}

function contradictionInTrade({ intent, policy, chain, trade, quote }: Evidence): string | null {
  const { inputAssetKey, outputAssetKey } = intent;
  if (intent.policyId !== policy.policyId) return "the policy is not the one that the intent names";
  if (![inputAssetKey, outputAssetKey].every((key) => key.startsWith(`eip155:${chain.chainId}:`)))
    return "the intent's assets are not on the chain that was read";
  if (inputAssetKey === outputAssetKey) return "the intent trades a token for itself";
  if (trade.stockAssetKey !== (trade.side === "buy" ? outputAssetKey : inputAssetKey))
    return "the side or the stock is not the intent's";
  if (quote === null) return null;
  if (quote.amountInRaw !== intent.amountInRaw) return "the quote is for another amount than the intent";
  if (quote.path[0] !== addressOf(inputAssetKey) || quote.path.at(-1) !== addressOf(outputAssetKey))
    return "the quote is for other tokens than the intent";
  return null;
}

function contradictionInFacts({ intent, chain, trade, token, proofs }: Evidence): string | null {
  const { inputAssetKey, outputAssetKey } = intent;
  if (trade.settlementAssetKey !== (trade.side === "buy" ? inputAssetKey : outputAssetKey))
    return "the settlement token is not the intent's";
  const statements = [token.factor, token.announcement, ...token.halts];
  if (
    statements.some(
      (stated) => stated && stated.blockNumber !== null && stated.blockNumber !== chain.blockNumber,
    )
  )
    return "facts of the token were read at another block";
  if (statements.some((stated) => stated && (stated.blockNumber === null) !== (stated.address === null)))
    return "a fact of the token was read at a block and at no contract, or at a contract and at no block";
  if (statements.some((stated) => stated?.address != null && !isOfToken(stated, trade)))
    return "facts of the token were read at another token's contract";
  const isOfContract = [token.factor, token.announcement].every(
    (stated) => stated?.provider === "erc-8056" && stated.blockNumber !== null,
  );
  if (token.layout !== null && !(isOfContract && proofs !== null))
    return "the token's layout proves nothing: factor or announcement are not the contract's, or there are no proofs";
  return null;
}

/** An oracle is asked about the token; everything else is asked of the token itself. */
function isOfToken(
  { provider, address }: { provider: string; address: string | null },
  { stockAssetKey }: Pick<Evidence["trade"], "stockAssetKey">,
): boolean {
  return provider === "ondo-oracle" || address === addressOf(stockAssetKey);
}
