/** Answers that nobody waits for longer than they are worth. */

/**
 * The promise's value, or a substitute when that takes too long. The promise continues and stays handled, so that a later
 * rejection does not end the process.
 */
export function withinTime<T, U>(
  promise: Promise<T>,
  ms: number,
  instead: () => U | Promise<U>,
): Promise<T | U> {
  return new Promise((resolve, reject) => {
    // Nobody catches what is thrown in a timer.
    const late = async () => instead();
    const timer = setTimeout(() => resolve(late()), ms).unref();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
