/** A file of a Safe's transactions, which its owners load into the Transaction Builder. */
import type { JsonRpcProvider } from "ethers";
import { safeFileOf } from "../../attestor/evm/safeFile.ts";
import { isContract } from "../admin/holders.ts";
import type { World } from "../console.ts";
import { writeJson } from "../files.ts";

type Content = Omit<Parameters<typeof safeFileOf>[0], "now">;

/** Writes it, and says so. @throws Unusable, UpstreamUnavailable */
export async function writeSafeFile(
  path: string,
  content: Content,
  provider: JsonRpcProvider,
  { out, now }: Pick<World, "out" | "now">,
): Promise<void> {
  const { safe, transactions } = content;
  const file = safeFileOf({ ...content, now: now() });
  await writeJson(path, file);
  out("");
  if (!(await isContract(provider, safe))) out(`WARNING  ${safe} is not a contract: no Safe is there (yet).`);
  const { checksum } = file.meta;
  out(`Wrote ${path} for the Safe ${safe}: ${transactions.length} transaction(s), checksum ${checksum}.`);
}
