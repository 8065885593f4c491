/** A signed message says one thing: any change makes it another message, which nobody signed. */
import { createSIWxMessage } from "@x402/extensions/sign-in-with-x";
import { expect } from "chai";
import { verifyMessage, Wallet } from "ethers";
import fc from "fast-check";
import { readSignIn, SIGN_IN_STATEMENT } from "../../../api/payments/signIn/message.ts";
import { SignInRefused } from "../../../api/payments/signIn/refusals.ts";
import { encodeHeader } from "../../support/x402.ts";

const NOW = 1_790_000_000_000;
const URL_OF_REQUEST = "https://assay.example.com/a2mcp/purchases";
const EXPECTED = {
  publicUrl: "https://assay.example.com",
  path: "/a2mcp/purchases",
  networks: ["eip155:56", "eip155:8453"],
  now: NOW,
};
const wallet = new Wallet(`0x${"3".repeat(64)}`);
const SAID = {
  domain: "assay.example.com",
  uri: URL_OF_REQUEST,
  version: "1",
  chainId: "eip155:56",
  type: "eip191" as const,
  nonce: "0123456789abcdef0123456789abcdef",
  issuedAt: new Date(NOW).toISOString(),
  statement: SIGN_IN_STATEMENT,
};

async function signed(changes: Record<string, unknown> = {}) {
  const said = { ...SAID, ...changes };
  const signature = await wallet.signMessage(createSIWxMessage(said, wallet.address));
  return { ...said, address: wallet.address, signature };
}

/** Whose message it is, as far as it is one that opens something. */
async function signerOf(payload: object): Promise<string | null> {
  try {
    const { text, signature } = await readSignIn(encodeHeader(payload), EXPECTED);
    return verifyMessage(text, signature);
  } catch (error) {
    if (error instanceof SignInRefused) return null;
    throw error;
  }
}

describe("a signed-in wallet's message", () => {
  it("is taken as it was signed, with and without what may be left out", async () => {
    const later = new Date(NOW + 60_000).toISOString();
    for (const changes of [
      {},
      { expirationTime: later, notBefore: new Date(NOW - 1_000).toISOString(), requestId: "r-1" },
      { resources: [URL_OF_REQUEST] },
      { uri: `${URL_OF_REQUEST}?after=job_1` },
      { chainId: "eip155:8453" },
    ])
      expect(await signerOf(await signed(changes)), JSON.stringify(changes)).to.equal(wallet.address);
  });

  it("is nobody's with any member changed, left out or added", async () => {
    const payload = await signed({ requestId: "r-1", resources: [URL_OF_REQUEST] });
    const later = fc.integer({ min: -299, max: 9 }).map((at) => new Date(NOW + at * 1_000).toISOString());
    const members = "domain uri chainId nonce issuedAt requestId notBefore expirationTime".split(" ");
    const values = fc.oneof(
      fc.string(),
      later,
      fc.stringMatching(/^[0-9a-f]{16,40}$/),
      fc.constantFrom(undefined, "eip155:8453", `${URL_OF_REQUEST}?a=b`, "r-2"),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), values, async (member, value) => {
        fc.pre(value !== (payload as Record<string, unknown>)[member]);
        expect(await signerOf({ ...payload, [member]: value })).to.not.equal(wallet.address);
      }),
      { numRuns: 200 },
    );
  });

  it("cannot hide lines of it in a member that is not looked at", async () => {
    const elsewhere = await signed({ requestId: "r-1", resources: ["https://elsewhere.example/"] });
    const { resources: _, ...hidden } = elsewhere as Record<string, unknown>;
    const split = { ...hidden, requestId: "r-1\nResources:\n- https://elsewhere.example/" };
    expect(await signerOf(split)).to.equal(null);
    const broken = await signed({ uri: `${URL_OF_REQUEST}?\nVersion: 1` }).catch(() => ({}));
    expect(await signerOf(broken)).to.equal(null);
  });
});
