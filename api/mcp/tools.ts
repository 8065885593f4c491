/** The tools, in the order of a trade. */
import { getVerificationPolicy, listSupportedAssets } from "./catalogTools.ts";
import { prepareVerification, prepareWithoutKey } from "./prepareTool.ts";
import type { Tool } from "./tool.ts";
import { getExecutionStatus, prepareGuardTrade } from "./tradeTools.ts";
import { getVerification, purchaseVerification } from "./verificationTools.ts";

export const TOOLS: readonly Tool[] = [
  listSupportedAssets,
  getVerificationPolicy,
  prepareVerification,
  purchaseVerification,
  getVerification,
  prepareGuardTrade,
  getExecutionStatus,
];

/** Of a host without an API key. */
export const OPEN_TOOLS: readonly Tool[] = TOOLS.map((tool) =>
  tool === prepareVerification ? prepareWithoutKey : tool,
);
