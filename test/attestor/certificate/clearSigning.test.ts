/** The ERC-7730 descriptors: linted, and shown as a wallet would. */
import { validateDescriptor } from "@erc7730/sdk";
import { expect } from "chai";
import { FunctionFragment, id } from "ethers";
import {
  CERTIFICATE_TYPES,
  guardDomain,
  TRADE_INTENT_TYPES,
} from "../../../attestor/certificate/certificate.ts";
import { guardCallDescriptor, tradeIntentDescriptor } from "../../../attestor/certificate/clearSigning.ts";
import { TradeGuard__factory } from "../../../types/contracts/factories/contracts/TradeGuard__factory.ts";
import { lint, showCall, showTypedData } from "../../support/erc7730.ts";
import { screensOnLedger } from "../../support/ledgerBackend.ts";
import { addressFor } from "../fixtures.ts";

const CHAIN_ID = 56;
const GUARD = addressFor("guard");
const OWNER = addressFor("owner");
const STOCK = addressFor("stock token");
const DOLLAR = addressFor("dollar token");
const ROUTER = addressFor("router");
const guard = TradeGuard__factory.createInterface();

const BUY = {
  owner: OWNER,
  recipient: OWNER,
  inputToken: DOLLAR,
  outputToken: STOCK,
  amountIn: "250000000",
  minAmountOut: "920000000000000000",
  route: ROUTER,
  selector: "0x38ed1739",
  callDataHash: id("route call data"),
  nonce: "77",
  deadline: String(Date.UTC(2026, 10, 20, 14, 5) / 1000),
};
const SELL = {
  ...BUY,
  inputToken: STOCK,
  outputToken: DOLLAR,
  amountIn: "1500000000000000000",
  minAmountOut: "405250001",
};
const CERTIFICATE = {
  intentHash: id("intent"),
  evidenceHash: id("evidence"),
  policyHash: id("policy"),
  jobId: id("job"),
  reportVersion: 2,
  issuedAt: 1_795_000_000,
  expiresAt: 1_795_000_300,
};

const TOKENS = new Map([
  [STOCK, { symbol: "AAPLx", decimals: 18 }],
  [DOLLAR, { symbol: "USDT", decimals: 6 }],
]);
const lookups = {
  token: (address: string) => TOKENS.get(address) ?? null,
  nameOf: (address: string) => (address === ROUTER ? "Pancake router" : null),
};

const typed = (message: typeof BUY) => ({
  domain: guardDomain(CHAIN_ID, GUARD),
  types: TRADE_INTENT_TYPES,
  primaryType: "TradeIntent",
  message,
});
const called = (data: string) => ({ chainId: CHAIN_ID, to: GUARD, data });
const executeOf = (intent: typeof BUY) =>
  called(guard.encodeFunctionData("execute", [intent, CERTIFICATE, "0x11", "0x38ed1739"]));
const executeForOf = (intent: typeof BUY) =>
  called(guard.encodeFunctionData("executeFor", [intent, CERTIFICATE, "0x11", "0x22", "0x38ed1739"]));

describe("the ERC-7730 descriptors", () => {
  const intents = tradeIntentDescriptor(CHAIN_ID, GUARD);
  const calls = guardCallDescriptor(CHAIN_ID, GUARD);

  it("the ERC-7730 descriptors are what the standard asks for, to the SDK's validation and to its further rules", () => {
    for (const descriptor of [intents, calls]) {
      expect(validateDescriptor(descriptor)).to.deep.equal({ valid: true, errors: [] });
      expect(lint(descriptor)).to.deep.equal([]);
    }
  });

  it("the ERC-7730 descriptors have every member of the types, and the guard's own selectors", () => {
    expect(
      Object.keys(calls.display.formats).map((key) => FunctionFragment.from(`function ${key}`).selector),
    ).to.deep.equal((["execute", "executeFor"] as const).map((name) => guard.getFunction(name).selector));
    for (const { fields } of Object.values(calls.display.formats)) {
      const paths = fields.map(({ path }) => path);
      expect(paths).to.include.members([
        ...TRADE_INTENT_TYPES.TradeIntent.map(({ name }) => `intent.${name}`),
        ...CERTIFICATE_TYPES.VerificationCertificate.map(({ name }) => `certificate.${name}`),
      ]);
    }
  });

  it("show a purchase as one sentence, alike when it is signed and when it is sent", () => {
    const sentence = `Buy at least 0.92 AAPLx for 250 USDT until 2026-11-20T14:05:00Z, paid to ${OWNER}`;
    expect(showTypedData(intents, typed(BUY), lookups).sentence).to.equal(sentence);
    expect(showCall(calls, executeOf(BUY), lookups).sentence).to.equal(sentence);
    expect(showTypedData(intents, typed(BUY), lookups).lines).to.deep.equal([
      "Pay: 250 USDT",
      "Receive at least: 0.92 AAPLx",
      `Paid to: ${OWNER}`,
      "Until: 2026-11-20T14:05:00Z",
      "Through: Pancake router",
    ]);
  });

  it("show a sale with each token's own decimals: dollars are bought for stock", () => {
    const sentence = `Buy at least 405.250001 USDT for 1.5 AAPLx until 2026-11-20T14:05:00Z, paid to ${OWNER}`;
    expect(showTypedData(intents, typed(SELL), lookups).sentence).to.equal(sentence);
    expect(showCall(calls, executeOf(SELL), lookups).sentence).to.equal(sentence);
  });

  it("show the relayer that it is another's trade", () => {
    const { sentence, lines } = showCall(calls, executeForOf(BUY), lookups);
    expect(sentence).to.equal(
      `For ${OWNER}: buy at least 0.92 AAPLx for 250 USDT until 2026-11-20T14:05:00Z, paid to ${OWNER}`,
    );
    expect(lines).to.include(`Paid by: ${OWNER}`);
  });

  it("show a recipient who is not the owner, also where the sentence is all that is shown", () => {
    const other = addressFor("somebody else");
    const intent = { ...BUY, recipient: other };
    for (const shown of [
      showTypedData(intents, typed(intent), lookups),
      showCall(calls, executeOf(intent), lookups),
      showCall(calls, executeForOf(intent), lookups),
    ]) {
      expect(shown.sentence).to.match(new RegExp(`, paid to ${other}$`));
      expect(shown.lines).to.include(`Paid to: ${other}`);
    }
  });

  it("give a Ledger its screens, by Ledger's own module: each amount with its token, the deadline as a time, names", async () => {
    const tokens = new Map([...TOKENS].map(([address, token]) => [address.toLowerCase(), token]));
    for (const [intent, paid, received] of [
      [BUY, "USDT, 6 decimals", "AAPLx, 18 decimals"],
      [SELL, "AAPLx, 18 decimals", "USDT, 6 decimals"],
    ] as const)
      expect(await screensOnLedger(intents, typed(intent), tokens)).to.deep.equal({
        title: "Guarded trade",
        screens: [
          { label: "Pay", format: "amount", path: "amountIn", token: paid },
          { label: "Receive at least", format: "amount", path: "minAmountOut", token: received },
          { label: "Paid to", format: "trusted-name", path: "recipient" },
          { label: "Until", format: "datetime", path: "deadline" },
          { label: "Through", format: "trusted-name", path: "route" },
        ],
        unexpected: [],
      });
    const data = typed(BUY);
    for (const other of [{ chainId: 1 }, { verifyingContract: OWNER }])
      expect(
        await screensOnLedger(intents, { ...data, domain: { ...data.domain, ...other } }, tokens),
      ).to.equal(null);
  });

  it("the ERC-7730 descriptors are for one guard on one chain, and one domain, type and function", () => {
    const data = typed(BUY);
    const faults = [
      () => showTypedData(intents, { ...data, domain: { ...data.domain, chainId: 1 } }, lookups),
      () =>
        showTypedData(intents, { ...data, domain: { ...data.domain, verifyingContract: OWNER } }, lookups),
      () => showTypedData(intents, { ...data, domain: { ...data.domain, version: "2" } }, lookups),
      () =>
        showTypedData(intents, { ...data, types: { TradeIntent: data.types.TradeIntent.slice(1) } }, lookups),
      () => showCall(calls, { ...executeOf(BUY), to: OWNER }, lookups),
      () => showCall(calls, { ...executeOf(BUY), chainId: 1 }, lookups),
      () => showCall(calls, { ...executeOf(BUY), data: guard.encodeFunctionData("unpause") }, lookups),
    ];
    for (const fault of faults) expect(fault).to.throw(/^(another|no format)/);
  });
});
