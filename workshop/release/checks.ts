import type { Packed } from "./pack.ts";

/** @returns what publint finds in a package, a line each; none where all is well */
export async function faultsOf({ name, folder }: Pick<Packed, "name" | "folder">): Promise<string[]> {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`);
}
