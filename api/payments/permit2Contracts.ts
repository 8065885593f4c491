/** Permit2 and x402's proxy for exact payments by it: the same addresses on every chain, and what is called and emitted there. */
import { Interface, id } from "ethers";

export const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
/** The spender whom a payer's signature names; it pays nobody but the payee whom the signature names, too. */
export const EXACT_PERMIT2_PROXY = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001";

export const PERMIT2_ABI = new Interface([
  "function nonceBitmap(address owner, uint256 wordPos) view returns (uint256)",
  "event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)",
]);

const PERMIT =
  "tuple(tuple(address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit";
const WITNESS = "tuple(address to, uint256 validAfter) witness";

export const PROXY_ABI = new Interface([
  `function settle(${PERMIT}, address owner, ${WITNESS}, bytes signature)`,
  `function settleWithPermit(tuple(uint256 value, uint256 deadline, bytes32 r, bytes32 s, uint8 v) permit2612, ${PERMIT}, address owner, ${WITNESS}, bytes signature)`,
]);

/** What the proxy emits after a payment, without a word of which. */
export const SETTLED: ReadonlySet<string> = new Set([id("Settled()"), id("SettledWithPermit()")]);
