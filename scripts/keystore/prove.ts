/** `assay keystore prove`: proves possession of a keystore's key, for `guard rotate-signer`. */
import { z } from "zod";
import { signerFromKeystore } from "../../api/attestation/keystore.ts";
import { certificateSignerOf } from "../../api/signers/certificates.ts";
import { guardDomain } from "../../attestor/certificate/certificate.ts";
import { proveKey } from "../../attestor/certificate/keyProof.ts";
import type { CertificateSigner } from "../../attestor/certificate/signer.ts";
import { AttestorError } from "../../attestor/values/attestorErrors.ts";
import { Address } from "../../attestor/values/primitives.ts";
import { command, optionalArgument, text } from "../command.ts";
import { passphraseFrom, readFile, type World } from "../console.ts";
import { EXIT, Unusable, UsageError } from "../errors.ts";
import { address, wholeNumber } from "../typed.ts";
import { withKey } from "./kmsKey.ts";

const LONGEST_DEPLOYMENT = 1_048_576;
const LONGEST_KEYSTORE = 4_096;

/** What of a deployment's record or of a DEPLOYMENT_FILE says which guard it is. */
const Place = z.object({ chainId: z.int().min(1), guard: Address });
type Place = z.infer<typeof Place>;

const chainNumber = wholeNumber(1, Number.MAX_SAFE_INTEGER);

export const proveKeystore = command({
  summary:
    "Print a proof that you hold a key, which guard rotate-signer asks for; no guard accepts it as a certificate",
  positionals: { file: optionalArgument("the keystore of the key; not with --kms") },
  options: {
    deployment: text("FILE", "the guard of a deployment's record, or of the service's DEPLOYMENT_FILE"),
    chainId: text("NUMBER", "with --guard, in place of --deployment: the guard's chain", chainNumber),
    guard: text("ADDRESS", "with --chain-id: the guard", address),
    passphraseFile: text("FILE", "take the passphrase from the first line of a file instead of asking"),
    kms: text("KEY", "a key in AWS KMS, by its id, ARN or alias"),
  },
  usage:
    "keystore prove takes one file and only --deployment, --chain-id, --guard, --passphrase-file and --kms",
  run: async (given, world) => {
    const { file, kms, passphraseFile } = given;
    if (kms !== undefined && file !== undefined) throw new UsageError("a key of --kms has no keystore file");
    if (kms === undefined && file === undefined)
      throw new UsageError("keystore prove needs the keystore file");
    const { chainId, guard } = await placeOf(given, world);
    const domain = guardDomain(chainId, guard);
    const prove = async (signer: CertificateSigner): Promise<number> => {
      world.out(JSON.stringify(await proveKey(signer, chainId, guard, Math.floor(world.now() / 1000))));
      return EXIT.ok;
    };
    if (file === undefined)
      return await withKey(kms ?? "", "secp256k1", (key) => prove(certificateSignerOf(key, domain)));
    const keystore = await readFile(file, LONGEST_KEYSTORE, world);
    const passphrase = await passphraseFrom(passphraseFile, "Passphrase: ", world);
    return await prove(await open(file, keystore, passphrase, domain));
  },
});

async function placeOf(
  { deployment, chainId, guard }: { deployment: string | undefined } & Partial<Place>,
  world: World,
): Promise<Place> {
  if (deployment === undefined && chainId !== undefined && guard !== undefined) return { chainId, guard };
  if (deployment === undefined || chainId !== undefined || guard !== undefined)
    throw new UsageError("keystore prove needs --deployment FILE, or --chain-id and --guard");
  const json = await readFile(deployment, LONGEST_DEPLOYMENT, world);
  try {
    return Place.parse(JSON.parse(json));
  } catch {
    throw new Unusable(`${deployment}: it names no chainId and guard`);
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
    if (error instanceof AttestorError) throw new Unusable(`${file}: ${error.message}`);
    throw error;
  }
}
