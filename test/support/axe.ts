/** What axe finds in a page. */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** One line for each violation and each of its places; none: none. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Not as a script of the page: its policy lets in none but its own.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; help: string; nodes: { target: unknown }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target }) => `${id}: ${help}: ${JSON.stringify(target)}`),
    );
  });
}
