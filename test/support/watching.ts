import type { KyselyPlugin } from "kysely";

/** Sees each statement before it goes out, and each result as it comes. */
export const watching = (
  onQuery: (asked: Parameters<KyselyPlugin["transformQuery"]>[0]) => unknown = () => {},
  onResult: (found: Parameters<KyselyPlugin["transformResult"]>[0]) => unknown = () => {},
): KyselyPlugin => ({
  transformQuery(asked) {
    onQuery(asked);
    return asked.node;
  },
  async transformResult(found) {
    await onResult(found);
    return found.result;
  },
});
