import { expect } from "chai";

/** The error of work that must not succeed. @throws what it failed with, where that is not of the kind */
export async function failureOf<E = any>(
  work: Promise<unknown>,
  kind: abstract new (...given: any[]) => E = Object as any,
): Promise<E> {
  const error = await work.then(
    (value) => expect.fail(`it did not fail but gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof kind)) throw error;
  return error;
}
