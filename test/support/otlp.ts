/** A collector of traces: takes OTLP over HTTP as JSON (opentelemetry-proto, `ExportTraceServiceRequest`). */
import { text } from "node:stream/consumers";
import { z } from "zod";
import { localServer } from "./ports.ts";
import { until } from "./until.ts";

const Value = z.strictObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  arrayValue: z.unknown().optional(),
});
const KeyValues = z.array(z.strictObject({ key: z.string(), value: Value }));
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const Nanos = z.string().regex(/^[0-9]+$/);

const Span = z.looseObject({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  name: z.string(),
  /** 1 internal, 2 server, 3 client. */
  kind: z.int().min(1).max(5),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: KeyValues,
  status: z.looseObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
});

const Export = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: KeyValues }),
      scopeSpans: z.array(
        z.looseObject({ scope: z.looseObject({ name: z.string() }), spans: z.array(Span) }),
      ),
    }),
  ),
});

export interface CollectedSpan extends Pick<z.infer<typeof Span>, "traceId" | "spanId" | "name" | "kind"> {
  /** null: the first of its trace. */
  readonly parentSpanId: string | null;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export type TraceCollector = Awaited<ReturnType<typeof startCollector>>;

const plain = (attributes: z.infer<typeof KeyValues>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const [bodies, headers, faults]: [string[], Record<string, unknown>[], string[]] = [[], [], []];
  const resource: Record<string, unknown> = {};

  function take(path: string | undefined, type: string | undefined, body: string): void {
    if (path !== "/v1/traces" || type !== "application/json") faults.push(`${path} ${type}`);
    const parsed = Export.safeParse(JSON.parse(body));
    if (!parsed.success) return void faults.push(z.prettifyError(parsed.error));
    for (const one of parsed.data.resourceSpans) {
      Object.assign(resource, plain(one.resource.attributes));
      for (const span of one.scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          parentSpanId: span.parentSpanId ?? null,
          failed: span.status.code === 2,
          attributes: plain(span.attributes),
        });
    }
  }

  const server = await localServer(async (request, response) => {
    try {
      const body = await text(request);
      if (collector.status === "hang") return;
      if (collector.status !== null) return void response.writeHead(collector.status).end("no");
      bodies.push(body);
      headers.push(request.headers);
      take(request.url, request.headers["content-type"], body);
      response.setHeader("content-type", "application/json");
      response.end("{}");
    } catch (error) {
      faults.push((error as Error).message);
      response.destroy();
    }
  });
  const collector = {
    url: server.url,
    spans,
    /** Every body as it came, and the headers of each. */
    bodies,
    headers,
    resource,
    /** What is wrong with what came; none in a good run. */
    faults,
    /** Answers that are no 200 from now on; null: as ever. `hang`: none. */
    status: null as number | "hang" | null,
    /** The spans as soon as the condition holds for them. */
    async when(holds: (spans: readonly CollectedSpan[]) => boolean) {
      await until("such spans", () => holds(spans));
      return spans;
    },
    stop: server.close,
  };
  return collector;
}
