/** The section of CHANGELOG.md that is a release's. */

/**
 * @param text CHANGELOG.md
 * @param date of the release, `2026-01-31`, where the changelog has no section of the version yet
 * @returns the version's own section, or what is unreleased under the version's name
 * @throws Error where there is neither
 */
export function changelogSection(text: string, version: string, date: string): string {
  const sections = text.split(/^(?=## )/m).filter((part) => part.startsWith("## "));
  const own = sections.find((part) => part.startsWith(`## [${version}]`));
  const unreleased = sections.find((part) => part.startsWith("## [Unreleased]"));
  const body = unreleased?.replace(/^.*\n/, "").trim();
  // Of a version that is out, what came since is the next one's.
  if (body) return `## [${own === undefined ? version : nextOf(version)}] - ${date}\n\n${body}\n`;
  if (own !== undefined) return `${own.trim()}\n`;
  throw new Error(`CHANGELOG.md has nothing for ${version}.`);
}

const nextOf = (version: string) => `after ${version}`;
