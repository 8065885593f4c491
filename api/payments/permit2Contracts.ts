/** Permit2 and x402's proxy for it: what is called and emitted there. */
import { Interface, id } from "ethers";

export { EXACT_PERMIT2_PROXY, PERMIT2 } from "./typedData.ts";

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
