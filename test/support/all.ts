/** Whether everything runs, as `npm test -- --all` has it. */
export const ALL = process.env.ASSAY_TEST_ALL === "1";

/** A test of what a quicker one touches too: it runs with `--all` alone. */
export function inAll(title: string, test: Mocha.Func | Mocha.AsyncFunc): void {
  // Looked up here: this file is loaded before mocha has set it up, too.
  if (ALL) it(title, test as Mocha.AsyncFunc);
}
