/**
 * Mocha's dots, and beside them a file with the test files in which something failed, a line each: `npm test` runs
 * those once more by themselves. CommonJS, since mocha loads reporters with `require`.
 */
const { writeFileSync } = require("node:fs");
const { reporters } = require("mocha");

module.exports = class FailedFiles extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    const failed = new Map();
    runner.on("fail", (test) => {
      const { file } = test.file === undefined ? (test.parent ?? {}) : test;
      // Without a file nothing can be run again, and the run stays failed.
      failed.set(`${file ?? ""}\t${test.fullTitle()}`, true);
      // At once: a run that breaks off prints no reasons.
      process.stderr.write(`\nFailed: ${test.fullTitle()} (${file ?? "no file"})\n`);
    });
    runner.once("end", () => writeFileSync(options.reporterOption.failed, [...failed.keys()].join("\n")));
  }
};
