/** The log: one JSON object a line, never a credential. */
import { type DestinationStream, type Logger, pino } from "pino";

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
    redact: { paths, censor: "[redacted]" },
  };
  return destination ? pino(options, destination) : pino(options);
}
