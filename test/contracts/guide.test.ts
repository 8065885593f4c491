import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { keccak256, TypedDataEncoder, Wallet } from "ethers";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { CERTIFICATE_TYPES, INTENT_TYPES } from "../support/contracts/trades.ts";
import { createWorld } from "../support/contracts/world.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guard.md"), "utf8");

const block = (name: string): string => {
  const found = new RegExp(`\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\\n\`\`\``).exec(GUIDE);
  if (found === null) throw new Error(`The guide has no block ${name}.`);
  return found[1]!;
};

const told = (what: string): string | undefined => {
  const row = GUIDE.split("\n").find((line) => line.startsWith(`| ${what} | `));
  return row && /`(0x[0-9a-f]+)` \|$/.exec(row)?.[1];
};

describe("the guide for wallets", () => {
  const { domain, types, primaryType, message } = JSON.parse(block("typed-data"));
  const certificate = JSON.parse(block("certificate"));
  const owner = new Wallet(`0x${"11".repeat(32)}`);
  const attestor = new Wallet(`0x${"22".repeat(32)}`);

  it("states the types that the guard hashes", () => {
    expect(primaryType).to.equal("TradeIntent");
    expect(types).to.deep.equal(INTENT_TYPES);
  });

  it("names the hash and the selector of its call data", () => {
    expect(message.callDataHash).to.equal(keccak256(block("call-data")));
    expect(message.selector).to.equal(block("call-data").slice(0, 10));
  });

  it("computes as ethers does", () => {
    const intentHash = TypedDataEncoder.hashStruct("TradeIntent", INTENT_TYPES, message);
    const digest = TypedDataEncoder.hash(domain, INTENT_TYPES, message);
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

  it("computes as the guard does", async () => {
    const { guard } = await createWorld();
    expect(await guard.hashIntent(message)).to.equal(told("intent hash (the certificate's `intentHash`)"));
    expect(await guard.hashCertificate(certificate)).to.equal(told("certificate hash"));
  });

  it("explains every error of the guard, with its arguments", () => {
    const source = readFileSync(join(import.meta.dirname, "../../contracts/ITradeGuard.sol"), "utf8");
    const declared = [...source.matchAll(/^ {4}error (\w+)\(([^)]*)\);/gm)].map(
      ([, name, args]) =>
        `${name}(${args!
          .split(",")
          .map((argument) => argument.trim().split(" ").at(-1))
          .join(", ")})`,
    );
    const explained = [...GUIDE.matchAll(/^\| `(\w+\([^)]*\))` \| [^|]+ \| [^|]+ \|$/gm)].map(
      ([, error]) => error!,
    );
    expect(declared.length).to.be.greaterThan(30);
    expect(explained).to.include.members(declared);

    // Those that come with the libraries, but for the two that a name of ten letters cannot cause.
    const names = new Set(explained.map((error) => error.split("(")[0]));
    TradeGuard__factory.createInterface().forEachError(({ name }) => {
      if (name !== "InvalidShortString" && name !== "StringTooLong") expect(names).to.include(name);
    });
  });
});
