/** A newcomer who follows a page: an empty folder with the packed files, no checkout, and the local world as `npm start` makes it. */
import { readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect } from "chai";
import { ROOT } from "../../build/buildOnce.ts";
import { type LocalFile, readLocalFile } from "../../devnet/localFile.ts";
import { startFilled } from "../support/filledWorld.ts";
import { packedFiles, runIn } from "../support/packages.ts";
import { ofSuite, testFolder } from "../support/suite.ts";

type TranscriptPart =
  | { readonly kind: "file"; readonly name: string; readonly content: string }
  | { readonly kind: "commands"; readonly name: string; readonly commands: readonly Command[] };

interface Command {
  readonly command: string;
  /** Lines that are not empty. */
  readonly output: readonly string[];
}

const PART = /^```(?:console (\S+)|(?:js|python) (\S+\.\w+))\n([\s\S]*?)\n```$/gm;

/** What a newcomer who reads the page types and saves, in its order. */
export const transcriptOf = (page: string): TranscriptPart[] =>
  [...readFileSync(join(ROOT, page), "utf8").matchAll(PART)].map(([, commands, file, text]) =>
    file === undefined
      ? { kind: "commands", name: commands!, commands: commandsIn(text!) }
      : { kind: "file", name: file, content: `${text}\n` },
  );

function commandsIn(text: string): Command[] {
  return text.split(/^\$ /m).flatMap((part) => {
    const [command = "", ...output] = part.split("\n").filter((line) => line !== "");
    return command === "" ? [] : [{ command, output }];
  });
}

/** What one run shows and no other: `…` stands for it. */
const pattern = (line: string) => {
  const parts = line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("\\S+")}$`);
};

/**
 * @param name of its folders
 * @param args of `npm start`, such as `--paid`
 */
export function testNewcomer(name: string, ...args: string[]) {
  const dataDir = testFolder(`${name}-data`);
  const folder = testFolder(name);
  const world = ofSuite(async () => {
    for (const file of Object.values(await packedFiles())) await copyFile(file, join(folder, basename(file)));
    const program = await startFilled(dataDir, args);
    const local: LocalFile = (await readLocalFile(dataDir))!;
    return { local, stop: () => program.crash() };
  });

  /** The docs' words with the addresses that this start has. */
  const placed = (text: string) =>
    text
      .replaceAll("http://127.0.0.1:3000", world.local.baseUrl)
      .replaceAll("http://127.0.0.1:8545", world.local.rpcUrl)
      .replaceAll("../assay/data/", `${dataDir}/`)
      .replaceAll("../assay/cache/release/", "./");

  /** Saves the files, runs the commands, and compares each output with the one in the docs. */
  async function follow(parts: readonly TranscriptPart[]): Promise<void> {
    for (const part of parts) {
      if (part.kind === "file") {
        await writeFile(join(folder, part.name), placed(part.content));
        continue;
      }
      for (const { command, output } of part.commands) {
        const { status, output: printed } = runIn(folder, "sh", ["-c", placed(command)]);
        const lines = printed.split("\n").filter((line) => line !== "" && !line.startsWith("npm warn"));
        expect(lines, `${command}\n${printed}`).to.have.length(output.length);
        for (const [index, line] of output.entries()) expect(lines[index]).to.match(pattern(line));
        expect(status, printed).to.equal(0);
      }
    }
  }

  return {
    folder,
    dataDir,
    placed,
    follow,
    get local() {
      return world.local;
    },
  };
}
