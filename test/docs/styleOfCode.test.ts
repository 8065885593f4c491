/** The English of comments, test titles, messages and texts in code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { trackedFiles } from "../../workshop/lint/tracked.ts";
import { faultsOf, plain } from "../support/english.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Texts of others, the list itself, and texts that vectors or hashes of code have. */
const LEFT_OUT = [
  /^test\/docs\/style/,
  /^test\/support\/english\.ts$/,
  /\.d\.ts$/,
  /^attestor\/checks\/session\.ts$/,
  /^contracts\//,
  /^workshop\/vectors\/jobs\.ts$/,
];

/** A string of three words or more; a line that is a comment; a block comment. */
const STRING = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;
const COMMENT = /(?<![\w*])\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|(?<=[;,{}()] )\/\/ .*$/gm;

function commentsIn(code: string): string[] {
  return (code.match(COMMENT) ?? []).flatMap((comment) =>
    comment
      .replace(/^\/\*\*?|\*\/$/g, "")
      .replace(/^[ \t]*(?:\*|\/\/) ?/gm, "")
      // A tag of a docstring begins a text of its own, and so does a paragraph or an item of a list.
      .split(/\n\s*\n|\n(?=\s*(?:@|- |\d+\. ))| (?=@\w+ )/)
      .map((text) => text.replace(/\s+/g, " ")),
  );
}

function stringsIn(code: string): string[] {
  const strings = code.replace(COMMENT, "").match(STRING) ?? [];
  return strings
    .map((string) => string.slice(1, -1).replace(/\$\{[^}]*\}/g, "X"))
    .filter((text) => /^[^<{]*\w+ \w+ \w+/.test(text) && !/\b(?:select|insert into|function) /i.test(text))
    .flatMap((text) => text.split(/\\n|\n|; /));
}

function textsIn(path: string): string[] {
  const text = readFileSync(join(ROOT, path), "utf8");
  if (path.endsWith(".sol")) return commentsIn(text);
  return [...commentsIn(text), ...stringsIn(text)];
}

/** Texts for people. Lines of a help are a layout, of which no rule of sentences holds. */
const JSON_TEXTS = [
  ...["api/docs", "api/pages/words", "attestor/view"].map((folder) => `${folder}/*.json`),
  ...["api/metrics/metrics.json", "api/jobs/hints.json", "workshop/reference/*.json", "web/**/*.json"],
];
const IS_CHINESE = /\p{Script=Han}/u;

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return IS_CHINESE.test(value) ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe("the English of code", () => {
  const files = trackedFiles(ROOT, "*.ts", "*.tsx", "*.sol").filter(
    (path) => !LEFT_OUT.some((pattern) => pattern.test(path)),
  );
  for (const room of new Set(files.map((path) => path.split("/")[0]!)))
    it(`${room} has short sentences and none of the banned words in comments, titles and messages`, () => {
      const faults = files
        .filter((path) => path.split("/")[0] === room)
        .flatMap((path) =>
          textsIn(path).flatMap((text) => faultsOf(plain(text)).map((fault) => `${path}: ${fault}`)),
        );
      expect(faults, `${faults.length} faults:\n${faults.join("\n")}\n`).to.have.length(0);
    });

  for (const path of trackedFiles(ROOT, ...JSON_TEXTS))
    it(`${path} has short sentences and none of the banned words`, () => {
      const faults = textsOf(JSON.parse(readFileSync(join(ROOT, path), "utf8"))).flatMap((text) =>
        faultsOf(plain(text)),
      );
      expect(faults).to.deep.equal([]);
    });
});
