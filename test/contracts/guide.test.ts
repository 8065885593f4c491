/**
 * The guide for wallets, docs/guard.md: its numbers as ethers and viem compute them; its tables against the ABI.
 */
import { expect } from "chai";
import { TypedDataEncoder, Wallet } from "ethers";
import { hashDomain, hashStruct, hashTypedData, keccak256, recoverTypedDataAddress, toBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  CERTIFICATE_TYPES,
  guardDomain,
  TRADE_INTENT_TYPES,
  VerificationCertificate,
} from "../../attestor/certificate/certificate.ts";
import { TradeIntent } from "../../attestor/intent.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { block, declared, firstCells, GUIDE, told } from "../support/contracts/guide.ts";

const DOMAIN_TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
};

describe("the worked example of docs/guard.md", () => {
  const { domain, types, primaryType, message } = JSON.parse(block("typed-data"));
  const certificate = JSON.parse(block("certificate"));
  const owner = new Wallet(`0x${"11".repeat(32)}`);
  const attestor = new Wallet(`0x${"22".repeat(32)}`);

  it("states the types that the guard hashes", () => {
    expect(primaryType).to.equal("TradeIntent");
    expect(types).to.deep.equal(TRADE_INTENT_TYPES);
  });

  it("names the hash and the selector of its call data", () => {
    expect(message.callDataHash).to.equal(keccak256(block("call-data") as `0x${string}`));
    expect(message.selector).to.equal(block("call-data").slice(0, 10));
  });

  it("is computed as ethers computes", () => {
    const intentHash = TypedDataEncoder.hashStruct("TradeIntent", types, message);
    const digest = TypedDataEncoder.hash(domain, types, message);
    const signature = owner.signingKey.sign(digest);
    const certificateDigest = TypedDataEncoder.hash(domain, CERTIFICATE_TYPES, certificate);
    expect(message.owner).to.equal(owner.address);
    expect(GUIDE).to.include(attestor.address);
    expect(certificate.intentHash).to.equal(intentHash);
    expect(told("domain separator")).to.equal(TypedDataEncoder.hashDomain(domain));
    expect(told("intent hash (the certificate's `intentHash`)")).to.equal(intentHash);
    expect(told("digest that the owner signs")).to.equal(digest);
    expect(told("owner's signature")).to.equal(signature.serialized);
    expect(told("the same, compact")).to.equal(signature.compactSerialized);
    expect(told("certificate hash")).to.equal(
      TypedDataEncoder.hashStruct("VerificationCertificate", CERTIFICATE_TYPES, certificate),
    );
    expect(told("digest that the attestation key signs")).to.equal(certificateDigest);
    expect(told("certificate signature")).to.equal(attestor.signingKey.sign(certificateDigest).serialized);
  });
});

describe("the local example and the tables of docs/guard.md", () => {
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
      /For nonce (\d+) use word (\d+) and mask\s+`1 << (\d+)`, which\s+is (\d+)/.exec(GUIDE)!;
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
