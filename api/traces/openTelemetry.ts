/**
 * Traces by OpenTelemetry's own library, exported by OTLP over HTTP. Loaded where the settings name a collector, and
 * nowhere else. Nothing is registered globally: two services of one process keep their traces apart.
 */
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { codeOf } from "../../database/databaseErrors.ts";
import { withinTime } from "../http/deadline.ts";
import type { SamplerName, TraceSettings } from "../settings/traces.ts";
import {
  countedExporter,
  createSpanCount,
  type ExportLog,
  guardedProcessor,
  type SpanCount,
} from "./export.ts";
import type { Attributes, RequestSpan, StepKind, Tracer } from "./tracer.ts";

/** So many spans wait for the collector; more are dropped. */
const MOST_WAITING = 4_096;
const BATCH = 512;
const EXPORT_EVERY_MS = 2_000;
const EXPORT_TIMEOUT_MS = 5_000;
/** In the end, for what is left: the service itself has ended by then. */
const FLUSH_MS = 3_000;
const NO_PARENT_SPAN = "0000000000000000";

export interface TracerDeps {
  readonly settings: TraceSettings;
  readonly version: string;
  randomBytes(count: number): Uint8Array;
  readonly log: ExportLog;
}

const SAMPLERS: Readonly<Record<SamplerName, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

const KINDS: Readonly<Record<StepKind, SpanKind>> = { inside: SpanKind.INTERNAL, client: SpanKind.CLIENT };

export function createTracer({ settings, version, randomBytes, log }: TracerDeps): Tracer {
  const count = createSpanCount();
  const provider = providerOf({ settings, version, randomBytes, log }, count);
  const tracer = provider.getTracer("assay", version);
  const contexts = new AsyncLocalStorageContextManager().enable();

  const failed = (span: Span, error: unknown) => {
    span.setAttribute("error.type", kindOfError(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  async function run<T>(
    parent: Context,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: () => Promise<T>,
  ): Promise<T> {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    try {
      return await contexts.with(trace.setSpan(parent, span), work);
    } catch (error) {
      failed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
  /** Where a trace runs and is recorded. */
  const recorded = (): Context | null => {
    const active = contexts.active();
    return trace.getSpan(active)?.isRecording() ? active : null;
  };

  return {
    request(traceparent, attributes, work) {
      const parent = parentOf(traceparent);
      const span = tracer.startSpan("request", { kind: SpanKind.SERVER, attributes }, parent);
      return contexts.with(trace.setSpan(parent, span), () => work(requestSpan(span)));
    },
    step(name, kind, attributes, work) {
      const parent = recorded();
      return parent === null ? work() : run(parent, name, KINDS[kind], attributes, work);
    },
    moment(name, attributes, work) {
      const parent = recorded();
      if (parent === null) return work();
      const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent);
      try {
        return work();
      } catch (error) {
        failed(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    task: (name, attributes, work) => run(ROOT_CONTEXT, name, SpanKind.INTERNAL, attributes, work),
    headers() {
      const running = trace.getSpanContext(contexts.active());
      if (running === undefined) return null;
      return { traceparent: `00-${running.traceId}-${running.spanId}-0${running.traceFlags & 1}` };
    },
    counts: () => count.read(),
    async stop() {
      await withinTime(
        provider.shutdown().catch(() => {}),
        FLUSH_MS,
        () => {},
      );
      contexts.disable();
    },
  };
}

function providerOf({ settings, version, randomBytes, log }: TracerDeps, count: SpanCount): TracerProvider {
  const exporter = new OTLPTraceExporter({
    url: settings.url.reveal(),
    headers: JSON.parse(settings.headers.reveal()) as Record<string, string>,
    timeoutMillis: EXPORT_TIMEOUT_MS,
    // As many as wait at the end, when all of them go at once.
    concurrencyLimit: MOST_WAITING / BATCH,
  });
  const batches = new BatchSpanProcessor({
    exporter: countedExporter(exporter, count, log),
    // What may wait is held by what stands before it, which counts.
    maxQueueSize: 2 * MOST_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: EXPORT_EVERY_MS,
    exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS,
  });
  const hex = (bytes: number) => () => Buffer.from(randomBytes(bytes)).toString("hex");
  return new TracerProvider({
    sampler: SAMPLERS[settings.sampler](settings.ratio),
    resource: resourceFromAttributes({ "service.name": settings.serviceName, "service.version": version }),
    idGenerator: { generateTraceId: hex(16), generateSpanId: hex(8) },
    spanProcessors: [guardedProcessor(batches, count, MOST_WAITING)],
  });
}

/** The caller's trace state is not taken over: it may hold anything, and is nobody's business behind this service. */
function parentOf(traceparent: string | undefined): Context {
  const given = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (given === null || given.spanId === NO_PARENT_SPAN) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: given.traceId,
    spanId: given.spanId,
    traceFlags: given.traceFlags & 1,
    isRemote: true,
  });
}

function requestSpan(span: Span): RequestSpan {
  return {
    traceId: span.spanContext().traceId,
    end(name, attributes, failed) {
      span.updateName(name);
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** A code or a name of ours or of a library; never the message, which may say anything. */
function kindOfError(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined && /^[A-Za-z0-9_.-]{1,60}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}
