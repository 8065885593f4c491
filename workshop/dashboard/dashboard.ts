/**
 * A Grafana dashboard out of the list of metrics: a row for each group, and for each metric the panels that its type
 * asks for. What takes time shows how often, how often it fails, and how long one in a hundred takes.
 */
import { METRICS, type MetricGroup, type MetricSpec } from "../../api/metrics/catalog.ts";
import FRAME from "./frame.json" with { type: "json" };

const TITLES: Readonly<Record<MetricGroup, string>> = {
  http: "HTTP",
  database: "Database",
  chain: "Nodes",
  providers: "Providers",
  log: "Decision log",
  market: "Collection",
  payments: "Payments",
  processes: "Works, replica and limits",
  traces: "Traces",
};

const COLUMNS = 24;
const PANEL = { w: 8, h: 8 };
const INTERVAL = "$__rate_interval";
const DATASOURCE = { type: "prometheus", uid: "$datasource" };
/** Values of these labels say whether it went well; what was refused with a reason was answered. */
const VERDICTS: Readonly<Record<string, string>> = {
  status: 'status="5xx"',
  outcome: 'outcome!~"ok|partly|refused|reverted"',
};

interface Graph {
  readonly title: string;
  readonly description: string;
  readonly unit: "s" | "ops" | "percentunit" | "short";
  readonly expr: string;
  readonly legend: string;
}

/** The graphs of one metric. */
function graphsOf(name: string, { type, help, labels, unit }: MetricSpec): Graph[] {
  const common = { description: help, legend: labels.map((label) => `{{${label}}}`).join(" ") };
  const by = (list: readonly string[]) => (list.length === 0 ? "" : ` by (${list.join(", ")})`);
  // Of each process: one that lacks something is not hidden by those beside it.
  if (type === "gauge") {
    const unitShown = unit === "seconds" ? "s" : "short";
    const legend = `{{instance}} ${common.legend}`.trim();
    const expr = `max${by(["instance", ...labels])} (${name})`;
    return [{ ...common, legend, title: name, unit: unitShown, expr }];
  }
  if (type === "counter")
    return [
      {
        ...common,
        title: `${name}, a second`,
        unit: "ops",
        expr: `sum${by(labels)} (rate(${name}[${INTERVAL}]))`,
      },
    ];
  return durations(name, labels, common);
}

function durations(
  name: string,
  labels: readonly string[],
  common: Pick<Graph, "description" | "legend">,
): Graph[] {
  const verdict = labels.find((label) => label in VERDICTS);
  const kinds = labels.filter((label) => label !== verdict);
  const legend = kinds.map((label) => `{{${label}}}`).join(" ");
  const group = (more: readonly string[] = []) => {
    const list = [...kinds, ...more];
    return list.length === 0 ? "" : ` by (${list.join(", ")})`;
  };
  const rate = (matching: string) => `sum${group()} (rate(${name}_count${matching}[${INTERVAL}]))`;
  const rates: Graph = {
    ...common,
    title: `${name}: rate`,
    unit: "ops",
    expr: `sum by (${labels.join(", ")}) (rate(${name}_count[${INTERVAL}]))`,
  };
  const slowest: Graph = {
    ...common,
    legend,
    title: `${name}: 99 of 100 take at most`,
    unit: "s",
    expr: `histogram_quantile(0.99, sum${group(["le"])} (rate(${name}_bucket[${INTERVAL}])))`,
  };
  if (verdict === undefined) return [rates, slowest];
  const failing: Graph = {
    ...common,
    legend,
    title: `${name}: share that fails`,
    unit: "percentunit",
    expr: `${rate(`{${VERDICTS[verdict]}}`)} / ${rate("")}`,
  };
  return [rates, failing, slowest];
}

/** The file's text. */
export function dashboardText(): string {
  const panels: object[] = [];
  let y = 0;
  for (const [group, title] of Object.entries(TITLES)) {
    const graphs = Object.entries<MetricSpec>(METRICS)
      .filter(([, spec]) => spec.group === group)
      .flatMap(([name, spec]) => graphsOf(name, spec));
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
      panels: [],
    });
    y += 1;
    for (const [index, graph] of graphs.entries()) {
      const place = index * PANEL.w;
      const gridPos = { ...PANEL, x: place % COLUMNS, y: y + Math.floor(place / COLUMNS) * PANEL.h };
      panels.push(panelOf(panels.length + 1, graph, gridPos));
    }
    y += Math.ceil((graphs.length * PANEL.w) / COLUMNS) * PANEL.h;
  }
  return `${JSON.stringify({ ...FRAME, panels }, null, 2)}\n`;
}

function panelOf(id: number, { title, description, unit, expr, legend }: Graph, gridPos: object): object {
  return {
    id,
    type: "timeseries",
    title,
    description,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { displayMode: "list", placement: "bottom" },
      tooltip: { mode: "multi", sort: "desc" },
    },
    targets: [{ refId: "A", datasource: DATASOURCE, expr, legendFormat: legend }],
  };
}
