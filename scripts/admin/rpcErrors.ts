/** The RPC's failures in words of ours. */
/** The code of a JSON-RPC error, wherever ethers put it. */
export function rpcCode(error: unknown): number | null {
  const holder = error as { error?: { code?: unknown }; info?: { error?: { code?: unknown } } } | null;
  const code = holder?.error?.code ?? holder?.info?.error?.code;
  return typeof code === "number" ? code : null;
}

const ETHERS_WORDS: Readonly<Record<string, string>> = {
  INSUFFICIENT_FUNDS: "The account does not have enough native coin for gas.",
  NONCE_EXPIRED: "Another transaction of the account has used the nonce: run the command again.",
  REPLACEMENT_UNDERPRICED:
    "A transaction with this nonce is already pending, and this one does not pay enough to replace it.",
  ACTION_REJECTED: "The signer refused to sign.",
  NETWORK_ERROR: "The chain's RPC does not answer.",
  SERVER_ERROR: "The chain's RPC does not answer as it should.",
  TIMEOUT: "The chain's RPC does not answer in time.",
};

/** Null for what nobody foresaw. Never the library's own words: they may carry the RPC's address, and with it a key. */
export function wordsFor(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return ETHERS_WORDS[code] ?? null;
}

/**
 * For an error of the library that nobody foresaw: its words and values may hold a key or an address.
 * @returns null for an error of another origin
 */
export function unforeseenWords(error: unknown): string | null {
  if (!(error instanceof Error) || !("shortMessage" in error) || !("code" in error)) return null;
  const code = rpcCode(error);
  const which = code === null ? String(error.code) : `error ${code}`;
  return `The chain's RPC, or the signer behind it, gives an unexpected answer (${which}).`;
}
