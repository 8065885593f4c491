/** An operation as runnable code: curl, TypeScript and Python, with the caller's own values in environment variables. */

/** A request, with `{{NAME}}` wherever a variable of the environment stands. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined: none. */
  readonly body?: unknown;
  /** `json`, or what else an answer is read as. */
  readonly answer: "json" | "text" | "bytes";
}

/** What each language is called, and how it says a call. */
export const CODE = { curl: curlOf, TypeScript: typescriptOf, Python: pythonOf } as const;

const VARIABLE = /\{\{([A-Z_]+)\}\}/g;

function curlOf({ method, url, headers, body }: Call): string {
  // Double quotes, in which the shell puts values in place of names.
  const quoted = (text: string) =>
    `"${text.replace(/["\\$`]/g, "\\$&").replace(VARIABLE, (_, name: string) => `$${name}`)}"`;
  return [
    `curl -sS${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n  ");
}

function typescriptOf({ method, url, headers, body, answer }: Call): string {
  const literal = (text: string) =>
    text.search(VARIABLE) < 0
      ? JSON.stringify(text)
      : `\`${text.replace(VARIABLE, (_, name: string) => `\${process.env.${name}}`)}\``;
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(Object.keys(headers).length === 0
      ? []
      : [
          `  headers: { ${Object.entries(headers)
            .map(([name, value]) => `"${name}": ${literal(value)}`)
            .join(", ")} },`,
        ]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ];
  const asked = options.length === 0 ? literal(url) : `${literal(url)}, {\n${options.join("\n")}\n}`;
  const read = { json: "response.json()", text: "response.text()", bytes: "response.bytes()" }[answer];
  return `const response = await fetch(${asked});\nconsole.log(response.status, await ${read});`;
}

function pythonOf({ method, url, headers, body, answer }: Call): string {
  const literal = (text: string) =>
    text.search(VARIABLE) < 0
      ? JSON.stringify(text)
      : `f"${text.replace(VARIABLE, (_, name: string) => `{os.environ['${name}']}`)}"`;
  const needsOs = [url, ...Object.values(headers)].some((text) => text.search(VARIABLE) >= 0);
  const named = Object.entries(headers).map(([name, value]) => `"${name}": ${literal(value)}`);
  const options = [
    `    ${literal(url)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    ...(named.length === 0 ? [] : [`    headers={${named.join(", ")}},`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonText(body), "    ")}).encode(),`]),
  ];
  const read = { json: "json.load(response)", text: "response.read().decode()", bytes: "response.read()" }[
    answer
  ];
  const modules = [
    ...(answer === "json" || body !== undefined ? ["json"] : []),
    ...(needsOs ? ["os"] : []),
    "urllib.request",
  ];
  return `${modules.map((name) => `import ${name}`).join("\n")}

request = urllib.request.Request(
${options.join("\n")}
)
with urllib.request.urlopen(request) as response:
    print(response.status, ${read})`;
}

/** All lines but the first, moved to the right. */
const indented = (text: string, by = "  "): string => text.replaceAll("\n", `\n${by}`);

/** JSON as Python writes it: only its three words differ. */
function pythonText(value: unknown, by = ""): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${by}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((each) => pythonText(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonText(each, inner)}`);
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${by}${close}`;
}
