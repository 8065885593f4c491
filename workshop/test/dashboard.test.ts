import { readFileSync } from "node:fs";
import { expect } from "chai";
import { METRICS } from "../../api/metrics/catalog.ts";
import { dashboardText } from "../dashboard/dashboard.ts";
import { DASHBOARD_FILE } from "../dashboard.ts";

describe("the dashboard", () => {
  it("is what the list of metrics makes of it: npm run dashboard writes it again", () => {
    expect(readFileSync(DASHBOARD_FILE, "utf8")).to.equal(dashboardText());
  });

  it("shows every metric, no two panels in one place", () => {
    const { panels } = JSON.parse(dashboardText());
    const expressions = panels
      .flatMap(({ targets = [] }: any) => targets.map(({ expr }: any) => expr))
      .join("\n");
    for (const name of Object.keys(METRICS))
      expect(expressions).to.match(new RegExp(`\\b${name}(_count|_bucket)?\\b`));
    const places = panels.map(({ gridPos: { x, y } }: any) => `${x} ${y}`);
    expect(new Set(places).size).to.equal(places.length);
    expect(new Set(panels.map(({ id }: any) => id)).size).to.equal(panels.length);
  });
});
