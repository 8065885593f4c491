/**
 * What the service asks of traces. Nothing beyond this folder knows the library behind it, and without the setting
 * nothing loads it.
 *
 * A trace begins with a request, or with a step of the collection. What has neither (rounds in the background that look
 * whether there is something to do) leaves none. Names and attributes are kinds of things: route templates, operations,
 * tables, methods, providers. No value that came from outside is among them but the request's own name.
 */

export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** `client`: somebody else is asked meanwhile. */
export type StepKind = "inside" | "client";

/** The span of a request. */
export interface RequestSpan {
  /** 32 hexadecimal digits; null: there is no trace. */
  readonly traceId: string | null;
  /** @param name such as `GET /v1/jobs/:id` @param failed the service's fault */
  end(name: string, attributes: Attributes, failed: boolean): void;
}

export interface SpanCounts {
  readonly exported: number;
  /** Not taken by the collector. */
  readonly failed: number;
  /** There was no room for them. */
  readonly dropped: number;
}

export interface Tracer {
  /**
   * Begins a request's span, as a part of the caller's trace where there is one.
   * @param traceparent the header, as it came
   * @param work what it begins runs within the span, which its `end` ends
   */
  request<T>(traceparent: string | undefined, attributes: Attributes, work: (span: RequestSpan) => T): T;
  /** Runs a step within the running trace; where there is none it just runs. Returns and throws what it does. */
  step<T>(name: string, kind: StepKind, attributes: Attributes, run: () => Promise<T>): Promise<T>;
  /** The same of what is done at once. */
  moment<T>(name: string, attributes: Attributes, run: () => T): T;
  /** The same as a trace of its own. */
  task<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T>;
  /** Headers that carry the running trace to the called service; null: there is none. */
  headers(): Readonly<Record<string, string>> | null;
  counts(): SpanCounts;
  /** Hands over what is left, as far as that goes quickly; never throws. */
  stop(): Promise<void>;
}

const NO_SPAN: RequestSpan = { traceId: null, end: () => {} };
const NOTHING: SpanCounts = { exported: 0, failed: 0, dropped: 0 };

export const NO_TRACES: Tracer = {
  request: (_traceparent, _attributes, work) => work(NO_SPAN),
  step: (_name, _kind, _attributes, run) => run(),
  moment: (_name, _attributes, run) => run(),
  task: (_name, _attributes, run) => run(),
  headers: () => null,
  counts: () => NOTHING,
  stop: async () => {},
};
