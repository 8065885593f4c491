/** What a call of the client failed with. */
import { ServiceError } from "../../client/client.ts";

/** @throws what it failed with, where that is no ServiceError */
export async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  const thrown = await work.then(
    (value) => new Error(`it did not fail but answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof ServiceError)) throw thrown;
  return thrown;
}
