/** The guide for wallets: its numbers as the service and, by itself, viem compute them; its tables against the ABI. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  concat,
  encodeAbiParameters,
  hashDomain,
  hashStruct,
  hashTypedData,
  keccak256,
  recoverTypedDataAddress,
  toBytes,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  CERTIFICATE_TYPES,
  domainSeparator,
  guardDomain,
  hashCertificate,
  hashIntent,
  TRADE_INTENT_TYPES,
  typedDataDigest,
  VerificationCertificate,
} from "../../attestor/certificate.ts";
import { TradeIntent } from "../../attestor/intent.ts";
import { localAccounts } from "../../scripts/local/accounts.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guard.md"), "utf8");

function block(name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\\n\`\`\`$`, "m").exec(GUIDE);
  if (found === null) throw new Error(`The guide has no block ${name}.`);
  return found[1]!;
}

/** First cells of a section's table that are a name with arguments, in order, doubles included. */
function firstCells(section: string): string[] {
  const text = GUIDE.split(/^## /m).find((part) => part.startsWith(`${section}\n`));
  if (text === undefined) throw new Error(`The guide has no section ${section}.`);
  return [...text.matchAll(/^\| `([^`]*)` \| .*\|$/gm)].map(([, cell]) => cell!);
}

function declared(type: "error" | "event"): string[] {
  return TradeGuard__factory.abi.flatMap((entry) =>
    entry.type === type ? [`${entry.name}(${entry.inputs.map(({ name }) => name).join(", ")})`] : [],
  );
}

const DOMAIN_TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
};

describe("docs/guard.md", () => {
  const numbers = JSON.parse(block("local-example"));
  const { domain, tradeIntent, certificate, hashes, owner, attestation } = numbers;
  const typeStrings = block("type-strings").split("\n");

  /** The same values as viem takes them. */
  const intentData = {
    domain,
    types: TRADE_INTENT_TYPES,
    primaryType: "TradeIntent",
    message: tradeIntent,
  } as const;
  const certificateData = {
    domain,
    types: CERTIFICATE_TYPES,
    primaryType: "VerificationCertificate",
    message: certificate,
  } as const;

  it("has an example in the service's own form, on the development chain", () => {
    expect(TradeIntent.parse(tradeIntent)).to.deep.equal(tradeIntent);
    expect(VerificationCertificate.parse(certificate)).to.deep.equal(certificate);
    expect(domain).to.deep.equal(guardDomain(31337, domain.verifyingContract));
    expect(certificate.intentHash).to.equal(hashes.intentHash);
    expect(tradeIntent.callDataHash).to.equal(keccak256(block("call-data") as `0x${string}`));
  });

  it("states the type strings", () => {
    const written = Object.entries({ ...DOMAIN_TYPES, ...TRADE_INTENT_TYPES, ...CERTIFICATE_TYPES }).map(
      ([name, members]) => `${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`,
    );
    expect(typeStrings).to.deep.equal(written);
  });

  it("is computed as the service computes", () => {
    const separator = domainSeparator(domain);
    expect(hashes.domainSeparator).to.equal(separator);
    expect(hashes.intentHash).to.equal(hashIntent(tradeIntent));
    expect(hashes.certificateHash).to.equal(hashCertificate(certificate));
    expect(hashes.intentDigest).to.equal(typedDataDigest(separator, hashIntent(tradeIntent)));
    expect(hashes.certificateDigest).to.equal(typedDataDigest(separator, hashCertificate(certificate)));
  });

  it("is computed by viem alone to the same numbers", () => {
    expect(hashes).to.deep.equal({
      domainTypeHash: keccak256(toBytes(typeStrings[0]!)),
      nameHash: keccak256(toBytes(domain.name)),
      versionHash: keccak256(toBytes(domain.version)),
      tradeIntentTypeHash: keccak256(toBytes(typeStrings[1]!)),
      certificateTypeHash: keccak256(toBytes(typeStrings[2]!)),
      domainSeparator: hashDomain({ domain, types: DOMAIN_TYPES }),
      intentHash: hashStruct({
        data: tradeIntent,
        primaryType: "TradeIntent",
        types: TRADE_INTENT_TYPES,
      }),
      certificateHash: hashStruct({
        data: certificate,
        primaryType: "VerificationCertificate",
        types: CERTIFICATE_TYPES,
      }),
      intentDigest: hashTypedData(intentData),
      certificateDigest: hashTypedData(certificateData),
    });
  });

  it("can be followed by hand, hash by hash", () => {
    const members = (types: { name: string; type: string }[], message: Record<string, string>) =>
      types.map(({ name, type }) => (type.startsWith("uint") ? BigInt(message[name]!) : message[name]!));
    const struct = (typeHash: string, types: { name: string; type: string }[], message: any) =>
      keccak256(
        encodeAbiParameters(
          [{ type: "bytes32" }, ...types.map(({ type }) => ({ type }))],
          [typeHash, ...members(types, message)],
        ),
      );
    const { domainTypeHash, nameHash, versionHash, tradeIntentTypeHash, certificateTypeHash } = hashes;
    expect(
      keccak256(
        encodeAbiParameters(
          [
            { type: "bytes32" },
            { type: "bytes32" },
            { type: "bytes32" },
            { type: "uint256" },
            { type: "address" },
          ],
          [domainTypeHash, nameHash, versionHash, BigInt(domain.chainId), domain.verifyingContract],
        ),
      ),
    ).to.equal(hashes.domainSeparator);
    expect(struct(tradeIntentTypeHash, TRADE_INTENT_TYPES.TradeIntent, tradeIntent)).to.equal(
      hashes.intentHash,
    );
    expect(struct(certificateTypeHash, CERTIFICATE_TYPES.VerificationCertificate, certificate)).to.equal(
      hashes.certificateHash,
    );
    for (const what of ["intent", "certificate"])
      expect(keccak256(concat(["0x1901", hashes.domainSeparator, hashes[`${what}Hash`]]))).to.equal(
        hashes[`${what}Digest`],
      );
  });

  it("is signed by the published development key and by the owner of the page", async () => {
    const { address, privateKey } = localAccounts().attestation;
    expect(attestation.address).to.equal(address);
    expect(attestation.developmentKey).to.equal(privateKey);
    const attestor = privateKeyToAccount(attestation.developmentKey);
    expect(attestor.address).to.equal(address);
    expect(await attestor.signTypedData(certificateData)).to.equal(attestation.signature);
    expect(await recoverTypedDataAddress({ ...certificateData, signature: attestation.signature })).to.equal(
      address,
    );

    const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
    expect(account.address).to.equal(owner.address).and.to.equal(tradeIntent.owner);
    expect(await account.signTypedData(intentData)).to.equal(owner.signature);
  });

  it("places a nonce where it says", () => {
    const [, nonce, word, bit, mask] =
      /for nonce (\d+), word (\d+) and mask\s+`1 << (\d+)`, which is (\d+)/.exec(GUIDE)!;
    expect(BigInt(nonce!) >> 8n).to.equal(BigInt(word!));
    expect(BigInt(nonce!) & 255n).to.equal(BigInt(bit!));
    expect(1n << BigInt(bit!)).to.equal(BigInt(mask!));
  });

  it("explains every error of the guard with its arguments, once, and none that does not exist", () => {
    expect(firstCells("Errors").sort()).to.deep.equal(declared("error").sort());
  });

  it("explains every event of the guard with its arguments, once, and none that does not exist", () => {
    expect(firstCells("Events").sort()).to.deep.equal(declared("event").sort());
  });
});
