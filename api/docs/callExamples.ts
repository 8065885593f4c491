/** What the calls of the reference are filled with: a trade of this service's own tokens. */
import type { Registry } from "../../attestor/registry.ts";
import { describeInput } from "../jobs/verifyInput.ts";
import type { CallExamples } from "./operationCall.ts";

/** A hash of no transaction: the call is whole, and submits nothing. */
const NO_TRANSACTION = `0x${"11".repeat(32)}`;

/** @throws Error for a registry without a stock or a settlement token */
export function callExamples(registry: Registry): CallExamples {
  const { example } = describeInput(registry);
  const stock = registry.assets.find(({ assetKey }) => assetKey === example.outputAssetKey);
  const { symbol = "", underlying = null } = stock ?? {};
  return {
    members: {
      ...example,
      recipientAddress: example.ownerAddress,
      clientRequestId: "my-first-trade",
      transactionHash: NO_TRANSACTION,
      name: "Your name",
      email: "you@example.com",
      purpose: "Trying the API",
    },
    parameters: { symbol, ...(underlying === null ? {} : { underlying }) },
  };
}
