/** Which field of an answer is not as expected, in the names of our own schemas: nothing of the provider's text. */
import type { z } from "zod";

type Issue = z.ZodError["issues"][number];

/** `data.[].price`; `answer` where it is the whole. */
export function fieldOf(error: z.ZodError): string {
  return pathOf(error.issues[0]) || "answer";
}

function pathOf(issue: Issue | undefined): string {
  if (!issue) return "";
  const own = issue.path.map((part) => (typeof part === "number" ? "[]" : String(part)));
  // Of several forms that would do, the first is the one that is hoped for.
  const inner = issue.code === "invalid_union" ? pathOf(issue.errors[0]?.[0]) : "";
  return [...own, ...(inner ? [inner] : [])].join(".");
}
