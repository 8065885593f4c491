/** `assay keystore prove`: proves possession of a keystore's key, for `guard rotate-signer`. */
import { z } from "zod";
import { signerFromKeystore } from "../../api/attestation/keystore.ts";
import { certificateSignerOf } from "../../api/signers/certificates.ts";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { proveKey } from "../../attestor/certificate/keyProof.ts";
import type { CertificateSigner } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { PlainError, readFile, readFirstLine, UsageError, type World } from "../console.ts";
import { withKey } from "./kmsKey.ts";
import { LONGEST_FILE, parseProve } from "../../cli/keystore/options.ts";

const LONGEST_DEPLOYMENT = 1_048_576;

/** What of a deployment's record or of a DEPLOYMENT_FILE says which guard it is. */
const Place = z.object({ chainId: z.int().min(1), guard: Address });
type Place = z.infer<typeof Place>;

/**
 * Prints the proof as one line of JSON.
 * @param now unix milliseconds
 * @throws UsageError, PlainError
 */
export async function proveCommand(args: string[], world: World, now: () => number): Promise<number> {
  const { file, kms, options } = readArguments(args);
  const { chainId, guard } = await placeOf(options, world);
  const prove = async (signer: CertificateSigner): Promise<number> => {
    world.out(JSON.stringify(await proveKey(signer, chainId, guard, Math.floor(now() / 1000))));
    return 0;
  };
  if (kms !== null)
    return await withKey(kms, "secp256k1", (key) =>
      prove(certificateSignerOf(key, guardDomain(chainId, guard))),
    );
  const keystore = await readFile(file, LONGEST_FILE, world);
  const { "passphrase-file": passphraseFile } = options;
  const passphrase =
    passphraseFile === undefined
      ? await world.ask("Passphrase: ")
      : await readFirstLine(passphraseFile, LONGEST_FILE, world);
  return await prove(await open(file, keystore, passphrase, guardDomain(chainId, guard)));
}

function readArguments(args: string[]) {
  const { values, positionals } = parseProve(args);
  const [file, ...more] = positionals;
  if (values.kms !== undefined) {
    if (file !== undefined) throw new UsageError("a key of --kms has no keystore file");
    return { file: null, kms: values.kms, options: values };
  }
  if (file === undefined) throw new UsageError("keystore prove needs the keystore file");
  if (more.length > 0) throw new UsageError("keystore prove takes one file and nothing else");
  return { file, kms: null, options: values };
}

async function placeOf(
  options: { deployment?: string; "chain-id"?: string; guard?: string },
  world: World,
): Promise<Place> {
  const { deployment, "chain-id": chainId, guard } = options;
  if ((deployment === undefined) === (chainId === undefined && guard === undefined))
    throw new UsageError("keystore prove needs --deployment FILE, or --chain-id and --guard");
  if (deployment === undefined) {
    const typed = Place.safeParse({ chainId: Number(chainId), guard });
    if (typed.success) return typed.data;
    throw new UsageError("--chain-id must be a number and --guard an address");
  }
  const text = await readFile(deployment, LONGEST_DEPLOYMENT, world);
  try {
    return Place.parse(JSON.parse(text));
  } catch {
    throw new PlainError(`${deployment}: it names no chainId and guard`);
  }
}

async function open(
  file: string,
  keystore: string,
  passphrase: string,
  domain: Parameters<typeof signerFromKeystore>[2],
) {
  try {
    return await signerFromKeystore(keystore, passphrase, domain);
  } catch (error) {
    if (error instanceof AttestorError) throw new PlainError(`${file}: ${error.message}`);
    throw error;
  }
}
