/** Mocha's dots, and each failure by its title and file at once: a run that breaks off prints no reasons. */
const { reporters } = require("mocha");

module.exports = class Reporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options);
    runner.on("fail", (test) => {
      const { file } = test.file === undefined ? (test.parent ?? {}) : test;
      process.stderr.write(`\nFailed: ${test.fullTitle()} (${file ?? "no file"})\n`);
    });
  }
};
