/** What the API's description says of each operation by itself: a summary, and a description where there is more to say. */
import { z } from "zod";
import OPERATIONS from "./operations.json" with { type: "json" };

const Operations = z.record(
  z.string(),
  z.strictObject({ summary: z.string(), description: z.string().exactOptional() }),
);
const KNOWN = Operations.parse(OPERATIONS);

/** Name and words of an operation, for its route. */
export const named = (operationId: keyof typeof OPERATIONS) => ({
  operationId: operationId as string,
  ...(KNOWN[operationId] as (typeof KNOWN)[string]),
});
