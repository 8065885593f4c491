/** The text format of Prometheus, and the names in PromQL, read as far as the tests need them. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  /** By name: type and help. */
  readonly families: ReadonlyMap<string, { readonly type: string; readonly help: string }>;
  readonly samples: readonly Sample[];
}

export function readExposition(text: string): Exposition {
  const families = new Map<string, { type: string; help: string }>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const [, what, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (what === "HELP") families.set(name, { type: "", help: rest });
    else if (what === "TYPE") families.set(name, { help: families.get(name)?.help ?? "", type: rest });
    else if (line !== "") samples.push(sampleOf(line));
  }
  return { families, samples };
}

function sampleOf(line: string): Sample {
  const [, name = "", labels = "", value = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === "") throw new Error(`this is no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key!, text!]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

/** Metrics of ours that an expression names, each with the labels that are matched on it or grouped by around it. */
export function namesIn(expression: string): { readonly metrics: string[]; readonly labels: string[] } {
  const metrics = [...expression.matchAll(/\bassay_\w+/g)].map(([name]) => name);
  const matched = [...expression.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inside]) =>
    [...inside!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  );
  const grouped = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(",").map((label) => label.trim()),
  );
  return { metrics, labels: [...matched, ...grouped] };
}
