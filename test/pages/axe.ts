/** What axe has to say of a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @param tags whose rules are asked, those off by default too; axe's own choice where none is named @returns a line for each violation: its rule, and where */
export async function violations(page: Page | Frame, tags: readonly string[] = []): Promise<string[]> {
  // Through the debugger, which no policy of the page binds.
  await page.evaluate(SOURCE);
  return page.evaluate(
    async (values) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { target: unknown[]; html: string }[] }[] }>;
        };
      };
      const asked = { runOnly: { type: "tag", values }, rules: { "target-size": { enabled: true } } };
      // To describe each element that passes takes longer than to judge it.
      const resultTypes = ["violations"];
      const { violations } = await axe.run(values.length === 0 ? { resultTypes } : { ...asked, resultTypes });
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
      );
    },
    [...tags],
  );
}
