/** What a payer signs (EIP-712), for the service and its clients alike: by EIP-3009 the token's own, by Permit2 with x402's witness. */

/** Permit2 and x402's proxy for exact payments by it: the same addresses on every chain. */
export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
/** The spender whom a payer's signature names; it pays nobody but the payee whom the signature names, too. */
export const EXACT_PERMIT2_PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001";

/** Members of a structure, each as `type name`. */
export const members = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [type = "", name = ""] = text.split(" ");
    return { name, type };
  });

export const EIP3009_TYPES = {
  TransferWithAuthorization: members(
    "address from",
    "address to",
    "uint256 value",
    "uint256 validAfter",
    "uint256 validBefore",
    "bytes32 nonce",
  ),
};

/** The witness is x402's: payee and beginning. */
export const PERMIT2_TYPES = {
  PermitWitnessTransferFrom: members(
    "TokenPermissions permitted",
    "address spender",
    "uint256 nonce",
    "uint256 deadline",
    "Witness witness",
  ),
  TokenPermissions: members("address token", "uint256 amount"),
  Witness: members("address to", "uint256 validAfter"),
};
