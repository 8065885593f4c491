/** The log: one JSON object a line, never a credential. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type DestinationStream, type Logger, pino } from "pino";
import { standardOutput } from "./logDestination.ts";

export type { Logger } from "pino";

// No line of ours carries headers. Should one ever, what opens doors is left out.
const SECRET_HEADERS = [
  "x-api-key",
  "authorization",
  "proxy-authorization",
  "cookie",
  "payment-signature",
  "payment-required",
  "payment-response",
  "x-payment",
];

/** The request whose work runs at the moment: every line that is written meanwhile names it, however deep below. */
export const currentRequest = new AsyncLocalStorage<{ readonly requestId: string }>();

const MAX_CAUSES = 5;

/**
 * An error in the log: what and where, and nothing else that hangs on it. Libraries put whole requests
 * into their errors, and the address of a node or a database may be a secret itself: of an address only
 * the host is kept.
 */
function safeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  const cause =
    error.cause === undefined || depth >= MAX_CAUSES ? {} : { cause: safeError(error.cause, depth + 1) };
  return {
    type: error.name,
    ...code,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ""),
    ...cause,
  };
}

function scrub(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s"'<>)]+)/gi, (whole, scheme: string) => {
    if (scheme.toLowerCase() === "file://") return whole;
    return URL.canParse(whole) ? `${scheme}${new URL(whole).host}` : `${scheme}[address]`;
  });
}

const NOTHING: object = {};

/** What a line says beyond its own fields. */
function whoseLine(line: object): object {
  const running = currentRequest.getStore();
  return running === undefined || "requestId" in line ? NOTHING : running;
}

export interface LoggerOptions {
  readonly level: string;
  readonly destination?: DestinationStream;
}

export function createLogger({ level, destination }: LoggerOptions): Logger {
  const paths = ["", "req.", "res.", "request.", "response.", "err.config."].flatMap((at) =>
    SECRET_HEADERS.map((name) => `${at}headers["${name}"]`),
  );
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: safeError },
    redact: { paths, censor: "[redacted]" },
    mixin: (line: object) => whoseLine(line),
    mixinMergeStrategy: (line: object, more: object) => (more === NOTHING ? line : { ...more, ...line }),
  };
  return pino(options, destination ?? standardOutput());
}
