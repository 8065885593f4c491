/** Tells a host that waits that a long call is still at work, so that it does not give up. */
import type { Notification, ProgressToken } from "@modelcontextprotocol/server";

const EVERY_MS = 2_000;

/** @param token of the host that wants progress; undefined: it does not */
export async function whileAtWork<T>(
  notify: (notification: Notification) => Promise<void>,
  progressToken: ProgressToken | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (progressToken === undefined) return work();
  let progress = 0;
  const tell = () => {
    const params = { progressToken, progress: progress++, message: "Reading chain and prices, and judging" };
    // A host that cannot be reached gets no answer either.
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
