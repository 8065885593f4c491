/** Which of a node's errors are a contract's refusal. */

/** EIP-1474's code of a revert, and that of nodes which say it otherwise. */
const REVERT_CODES = new Set([3, -32_015]);
const CONTRACT_FAULT =
  /revert|vm exception|vm execution|invalid opcode|out of gas|invalid jump|stack (under|over)flow/i;

/** @param error of a JSON-RPC answer */
export function isContractFault({
  code,
  message = "",
}: {
  readonly code: number;
  readonly message?: string;
}): boolean {
  return REVERT_CODES.has(code) || CONTRACT_FAULT.test(message);
}
