/**
 * Whose work runs at the moment: every line of the log that is written while a request is answered names it, however
 * deep below.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Current {
  readonly requestId: string;
  /** 32 hexadecimal digits; absent while traces are off. */
  readonly traceId?: string;
}

export const current = new AsyncLocalStorage<Current>();
