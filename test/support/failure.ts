import { expect } from "chai";

/** The error of work that must not succeed. */
export const failureOf = (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => expect.fail("it did not fail"),
    (error: unknown) => error,
  );
