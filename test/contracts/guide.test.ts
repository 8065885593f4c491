/**
 * The guide for wallets, docs/guard/calls.md: its numbers as ethers and viem compute them; its tables against the ABI and the
 * gas snapshot.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { TypedDataEncoder, Wallet } from "ethers";
import { hashDomain, hashStruct, hashTypedData, keccak256, toBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import {
  CERTIFICATE_TYPES,
  guardDomain,
  TRADE_INTENT_TYPES,
  VerificationCertificate,
} from "../../attestor/certificate/certificate.ts";
import { TradeIntent } from "../../attestor/intent.ts";
import { localAccounts } from "../../devnet/accounts.ts";
import { TradeGuard__factory } from "../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { EXACT, nameOf, SWAPS, tradesOf } from "../support/contracts/gas.ts";
import SNAPSHOT from "./gas.snapshot.json" with { type: "json" };

const DOMAIN_TYPES = {
  EIP712Domain: [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
    { name: "verifyingContract", type: "address" },
  ],
};

/** docs/guard/calls.md */
const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guard/calls.md"), "utf8");

/** The trade that the guide links to, for readers who check their own code. */
const EXAMPLE = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../docs/examples/signed-trade.json"), "utf8"),
);

/** A fenced block by the name behind its language. */
function block(name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)\\n\`\`\`$`, "m").exec(GUIDE);
  if (found === null) throw new Error(`The guide has no block ${name}.`);
  return found[1]!;
}

/** A section's text, to the next one. */
function sectionOf(title: string): string {
  const section = GUIDE.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`The guide has no section ${title}.`);
  return section;
}

/** First cells of a section's table that are a name with arguments, in order, doubles included. */
function firstCells(title: string): string[] {
  return [...sectionOf(title).matchAll(/^\| `([^`]*)` \| .*\|$/gm)].map(([, cell]) => cell!);
}

/** The errors or events of the guard's ABI, as the guide writes them: the name and the names of the arguments. */
function declared(type: "error" | "event"): string[] {
  return TradeGuard__factory.abi.flatMap((entry) =>
    entry.type === type ? [`${entry.name}(${entry.inputs.map(({ name }) => name).join(", ")})`] : [],
  );
}

describe("the worked example of docs/guard/calls.md", () => {
  const { tradeIntent: typedData, routeCallData, certificate, hashes, owner, attestation } = EXAMPLE;
  const { domain, message } = typedData;
  const typeStrings = block("type-strings").split("\n");

  /** As viem takes them. */
  const certificateData = {
    domain,
    types: CERTIFICATE_TYPES,
    primaryType: "VerificationCertificate",
    message: certificate,
  } as const;

  it("is in the service's own form, on the development chain", () => {
    expect(TradeIntent.parse(message)).to.deep.equal(message);
    expect(VerificationCertificate.parse(certificate)).to.deep.equal(certificate);
    expect(domain).to.deep.equal(guardDomain(31337, domain.verifyingContract));
    expect(typedData.primaryType).to.equal("TradeIntent");
    expect(typedData.types).to.deep.equal(TRADE_INTENT_TYPES);
    expect(certificate.intentHash).to.equal(hashes.intentHash);
    expect(message.callDataHash).to.equal(keccak256(routeCallData as `0x${string}`));
  });

  it("states the type strings", () => {
    const written = Object.entries({ ...DOMAIN_TYPES, ...TRADE_INTENT_TYPES, ...CERTIFICATE_TYPES }).map(
      ([name, members]) => `${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`,
    );
    expect(typeStrings).to.deep.equal(written);
  });

  it("is computed by viem to the same numbers", () => {
    expect(hashes).to.deep.equal({
      domainTypeHash: keccak256(toBytes(typeStrings[0]!)),
      nameHash: keccak256(toBytes(domain.name)),
      versionHash: keccak256(toBytes(domain.version)),
      tradeIntentTypeHash: keccak256(toBytes(typeStrings[1]!)),
      certificateTypeHash: keccak256(toBytes(typeStrings[2]!)),
      domainSeparator: hashDomain({ domain, types: DOMAIN_TYPES }),
      intentHash: hashStruct({ data: message, primaryType: "TradeIntent", types: TRADE_INTENT_TYPES }),
      certificateHash: hashStruct({
        data: certificate,
        primaryType: "VerificationCertificate",
        types: CERTIFICATE_TYPES,
      }),
      intentDigest: hashTypedData(typedData),
      certificateDigest: hashTypedData(certificateData),
    });
  });

  it("is computed by ethers to the same numbers", () => {
    expect(TypedDataEncoder.hashDomain(domain)).to.equal(hashes.domainSeparator);
    expect(TypedDataEncoder.hash(domain, TRADE_INTENT_TYPES, message)).to.equal(hashes.intentDigest);
    expect(TypedDataEncoder.hash(domain, CERTIFICATE_TYPES, certificate)).to.equal(hashes.certificateDigest);
  });

  it("is signed by the owner of the page, in both forms, and by the published development key", async () => {
    const key = `0x${"11".repeat(32)}` as const;
    const account = privateKeyToAccount(key);
    expect(account.address).to.equal(owner.address).and.to.equal(message.owner);
    expect(await account.signTypedData(typedData)).to.equal(owner.signature);
    const { compactSerialized } = new Wallet(key).signingKey.sign(hashes.intentDigest);
    expect(owner.compactSignature).to.equal(compactSerialized);

    const { address, privateKey } = localAccounts().attestation;
    expect(attestation.address).to.equal(address);
    expect(attestation.developmentKey).to.equal(privateKey);
    const attestor = privateKeyToAccount(attestation.developmentKey);
    expect(await attestor.signTypedData(certificateData)).to.equal(attestation.signature);
  });
});

describe("the tables of docs/guard/calls.md", () => {
  it("place a nonce where it is", () => {
    const [, nonce, word, bit, mask] =
      /For nonce (\d+) use word (\d+) and mask\s+`1 << (\d+)`, which\s+is (\d+)/.exec(GUIDE)!;
    expect(BigInt(nonce!) >> 8n).to.equal(BigInt(word!));
    expect(BigInt(nonce!) & 255n).to.equal(BigInt(bit!));
    expect(1n << BigInt(bit!)).to.equal(BigInt(mask!));
  });

  it("explain every error of the guard with its arguments, once, and none that does not exist", () => {
    expect(firstCells("Errors").sort()).to.deep.equal(declared("error").sort());
  });

  it("explain every event of the guard with its arguments, once, and none that does not exist", () => {
    expect(firstCells("Events").sort()).to.deep.equal(declared("event").sort());
  });

  it("state the gas of the snapshot", () => {
    const gasOf = (name: string): number => SNAPSHOT[name as keyof typeof SNAPSHOT];
    const rows = [
      ...tradesOf("v2").map((trade) => SWAPS.map((swap) => gasOf(nameOf({ ...trade, swap })))),
      SWAPS.map((swap) => gasOf(`${swap}, direct`)),
      [gasOf(EXACT)],
    ];
    const figures = sectionOf("Gas").match(/\d+,\d{3}/g)!;
    expect(figures).to.deep.equal(rows.flat().map((gas) => gas.toLocaleString("en-US")));
  });
});
