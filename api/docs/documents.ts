/** The documents of the repository that the service serves itself, so that nobody needs the repository to trade. */
import { readFileSync } from "node:fs";
import { extname, posix } from "node:path";

interface Source {
  /** In the repository. */
  readonly file: string;
  /** What it is about, for lists of links. */
  readonly about: string;
}

/** By the name under which it is served. */
const DOCUMENTS: Readonly<Record<string, Source>> = {
  "first-trade.md": {
    file: "docs/first-trade.md",
    about: "a first trade in TypeScript, in Python and over plain HTTP, from an empty folder",
  },
  "trade.py": {
    file: "docs/examples/trade.py",
    about: "a first trade by Python's standard library: no key, a wallet that signs, a relayer that sends",
  },
  "data.md": {
    file: "docs/data.md",
    about: "market data: newest values, histories by windows, corporate actions, the calendar, limits",
  },
  "data.py": {
    file: "docs/examples/data.py",
    about: "a copy of the market data by Python's standard library, with premiums that are computed again",
  },
  "calls.md": {
    file: "docs/guard/calls.md",
    about: "what a wallet checks and signs, the calls and their typed data, each error with its cure",
  },
  "signed-trade.json": {
    file: "docs/examples/signed-trade.json",
    about: "a trade with its typed data, hashes and signatures, to test a wallet's code with",
  },
  "client.md": {
    file: "client/README.md",
    about: "the TypeScript client: a whole trade in one call, payment, relaying, what it repeats by itself",
  },
  "mcp.md": {
    file: "docs/mcp.md",
    about: "the MCP server: connecting with a key and without, a trade by its tools, payment, errors",
  },
  "mandates.md": {
    file: "docs/guard/mandates.md",
    about: "a Safe that lets an agent's key trade within a budget, and what to do when that key is stolen",
  },
  "verify.md": {
    file: "docs/verify.md",
    about: "how to verify a saved trade, a transaction or a prepared trade, and what each fact rests on",
  },
  "policies.md": {
    file: "docs/policies.md",
    about: "the three policies, their bounds, what each check asks, and limits of your own",
  },
  "errors.md": {
    file: "docs/errors.md",
    about: "every error code with its status, and what to do about it",
  },
  "payments.md": {
    file: "docs/payments.md",
    about: "buying reports by x402 and the promises that hold for every purchase",
  },
  "verification.md": {
    file: "docs/spec/verification.md",
    about: "the method by which anybody can judge a report again, for those who write a verifier",
  },
  "messages.md": {
    file: "docs/spec/messages.md",
    about: "the exact text of each finding, for who compares whole reports",
  },
  "threat-model.md": {
    file: "docs/guard/threat-model.md",
    about: "what the guard prevents, the tests that show it, and whom a trade still trusts",
  },
  "scope.md": {
    file: "docs/guard/scope.md",
    about: "for auditors: what is in scope, how to run the tests, and what the guard does not prevent",
  },
  "log.md": {
    file: "docs/spec/log.md",
    about: "the append-only log of every judgement, and how to check it with its key alone",
  },
  "policies.json": {
    file: "docs/vectors/policies.json",
    about: "definitions of policies with their hashes, for verifiers",
  },
  "publisher-keys.json": {
    file: "docs/vectors/publisher-keys.json",
    about: "the keys by which prices are signed, for verifiers",
  },
};

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
