/** The documents of the repository that the service serves itself, so that nobody needs the repository to trade. */
import { readFileSync } from "node:fs";
import { extname, posix } from "node:path";
import DOCUMENTS from "./documents.json" with { type: "json" };

interface Source {
  /** In the repository. */
  readonly file: string;
  /** What it is about, for lists of links. */
  readonly about: string;
}

/** By the name under which it is served. */
export const documents: ReadonlyMap<string, Source> = new Map(Object.entries(DOCUMENTS));

const ROOT = new URL("../../", import.meta.url);
/** How documents write the address of a service. */
const EXAMPLE = "https://assay.example.com";
export const TYPES: Readonly<Record<string, string>> = {
  ".md": "text/markdown",
  ".json": "application/json",
  ".py": "text/x-python",
};

/**
 * A document as this service serves it: it names this service where it names one, and links lead to what is served beside it.
 * @param baseUrl where clients find the service
 * @returns null where there is none of that name, or the installation lacks it
 */
export function documentOf(name: string, baseUrl: string): { text: string; contentType: string } | null {
  const source = documents.get(name);
  const text = source === undefined ? null : readText(source.file);
  if (source === undefined || text === null) return null;
  const extension = extname(name);
  const here = text.replaceAll(EXAMPLE, baseUrl);
  const contentType = `${TYPES[extension]}; charset=utf-8`;
  return { text: extension === ".md" ? withLinks(here, posix.dirname(source.file)) : here, contentType };
}

function readText(file: string): string | null {
  try {
    return readFileSync(new URL(file, ROOT), "utf8");
  } catch {
    return null;
  }
}

/** Its words may go on in the next line. */
const LINK = /\[((?:[^\]\n]|\n(?!\n))+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/** Links to pages that are not served become their text. */
function withLinks(text: string, folder: string): string {
  return text.replace(LINK, (_link, words: string, target: string, place: string = "") => {
    const file = posix.join(folder, target);
    const served = [...documents].find(([, source]) => source.file === file)?.[0];
    return served === undefined ? words : `[${words}](${served}${place})`;
  });
}
