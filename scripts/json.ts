/** `--json`: what a command shows, for programs. */
import { flag } from "./command.ts";

export const JSON_OPTION = { json: flag("print JSON") };

/** Whole numbers that JSON cannot hold are texts. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each), 2);
