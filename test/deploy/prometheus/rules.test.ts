/** The alert rules, by Prometheus' own tool, and what they tell people to do. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { lacking } from "../../support/suite.ts";

const FOLDER = fileURLToPath(new URL("../../../deploy/prometheus", import.meta.url));
const RULES = readFileSync(`${FOLDER}/assay.rules.yml`, "utf8");
const TESTS = readFileSync(`${FOLDER}/assay.rules.test.yml`, "utf8");
const PAGE = readFileSync(new URL("../../../docs/run/runbooks.md", import.meta.url), "utf8");
const alerts = RULES.split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({ name: text.split("\n")[0]!, text }));

const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: FOLDER, encoding: "utf8" });

describe("the alert rules", () => {
  describe("by promtool", () => {
    before(function () {
      if (promtool("--version").error !== undefined)
        lacking(this, "promtool is missing (apt-get install prometheus): the alert rules are not tried");
    });

    it("are rules that Prometheus takes", () => {
      const { status, stdout, stderr } = promtool("check", "rules", "assay.rules.yml");
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.contain(`${alerts.length} rules found`);
    });

    it("ring when they should, and not just beside it", () => {
      const { status, stdout, stderr } = promtool("test", "rules", "assay.rules.test.yml");
      expect(status, stdout + stderr).to.equal(0);
    });
  });

  it("are tried each, ringing", () => {
    for (const { name } of alerts)
      expect(TESTS, name).to.match(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n`));
  });

  it("say what happened, how urgent it is and what to do, and where more of it stands", () => {
    expect(alerts).to.have.length(10);
    for (const { name, text } of alerts) {
      expect(text, name).to.match(/severity: (page|ticket)\n/);
      expect(text, name).to.match(/summary: ".{10,}"\n/);
      expect(text, name).to.match(/action: ".{20,}\."\n/);
      expect(text, name).to.contain(`runbook: docs/run/runbooks.md#alert-${name.toLowerCase()}\n`);
      expect(PAGE, name).to.contain(`\n### Alert: ${name}\n`);
    }
    const described = [...PAGE.matchAll(/^### Alert: (\w+)$/gm)].map(([, name]) => name);
    expect(described).to.have.members(alerts.map(({ name }) => name));
  });
});
