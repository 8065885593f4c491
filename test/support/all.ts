/** Whether everything runs, as `npm test -- --all` has it. */
export const ALL = process.env.ASSAY_TEST_ALL === "1";

/** A test of what a quicker one touches too: it runs with `--all` alone. Programs that tests start have no `it`. */
export const inAll = (ALL ? globalThis.it : () => {}) as typeof it;
