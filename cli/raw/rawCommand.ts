/** `assay raw`: the raw answer that a `rawHash` of evidence commits to, for operators. */
import { hexlify, keccak256 } from "ethers";
import { findRawAnswer } from "../../api/jobs/rawAnswers.ts";
import { orElse } from "../../attestor/values/orElse.ts";
import { migrate } from "../../database/migrate.ts";
import { PlainError, UsageError, type World } from "../console.ts";
import { withDatabase } from "../database.ts";

/**
 * @returns the exit code
 * @throws UsageError, PlainError
 */
export async function rawCommand(
  args: string[],
  world: World,
  deps: { readonly databaseUrl: string },
): Promise<number> {
  const hash = args[0]?.toLowerCase() ?? "";
  if (args.length !== 1 || !/^0x[0-9a-f]{64}$/.test(hash))
    throw new UsageError("raw needs a rawHash: 0x and 64 hexadecimal digits");
  return await withDatabase(deps.databaseUrl, world, async (db) => {
    await migrate(db);
    const raw = await findRawAnswer(db, hash);
    if (raw === null) {
      world.err(`No raw answer of ${hash} is kept.`);
      return 1;
    }
    if (keccak256(raw) !== hash) throw new PlainError("what is stored under this hash does not hash to it");
    world.out(textOf(raw) ?? hexlify(raw));
    return 0;
  });
}

/** Control characters, but tab and line breaks: a terminal must not obey them. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

function textOf(raw: Uint8Array): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const text = orElse(() => decoder.decode(raw), null);
  return text === null || CONTROL.test(text) ? null : text;
}
