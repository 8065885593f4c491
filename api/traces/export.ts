/** Spans on their way to the collector: bounded, counted, and told of in the log now and then. */
import { ExportResultCode } from "@opentelemetry/core";
import type { SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { codeOf } from "../../database/databaseErrors.ts";

export interface ExportLog {
  warn(fields: object, message: string): void;
}

/** Logs the first failed export, then every hundredth. */
const TELL_EVERY = 100;

export type SpanCount = ReturnType<typeof createSpanCount>;

export function createSpanCount() {
  return {
    exported: 0,
    failed: 0,
    dropped: 0,
    /** Ended, and not yet with the collector. */
    waiting: 0,
    read() {
      const { exported, failed, dropped } = this;
      return { exported, failed, dropped };
    },
  };
}

/** Lets a span through while there is room. */
export function guardedProcessor(inner: SpanProcessor, count: SpanCount, mostWaiting: number): SpanProcessor {
  return {
    onStart: (span, parent) => inner.onStart(span, parent),
    onEnd(span) {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (count.waiting >= mostWaiting) {
        count.dropped++;
        return;
      }
      count.waiting++;
      inner.onEnd(span);
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}

/** The same exporter; what it fails at is counted, and never thrown. */
export function countedExporter(inner: SpanExporter, count: SpanCount, log: ExportLog): SpanExporter {
  let failures = 0;
  return {
    export(spans, done) {
      let told = false;
      inner.export(spans, (result) => {
        if (told) return;
        told = true;
        count.waiting -= spans.length;
        if (result.code === ExportResultCode.SUCCESS) {
          count.exported += spans.length;
          failures = 0;
        } else {
          count.failed += spans.length;
          if (failures++ % TELL_EVERY === 0)
            // Its words may repeat the collector's, or its address.
            log.warn({ spans: spans.length, fault: faultOf(result.error) }, "traces could not be exported");
        }
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: async () => inner.forceFlush?.(),
    shutdown: () => inner.shutdown(),
  };
}

/** `ECONNREFUSED`, `status 503`, or the error's name. */
function faultOf(error: Error | undefined): string {
  if (error === undefined) return "unknown";
  const { code } = error as { code?: unknown };
  return typeof code === "number" ? `status ${code}` : (codeOf(error) ?? error.name);
}
