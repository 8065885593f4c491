/**
 * ERC-7730: what wallets show of a trade before it is signed, in words instead of raw data. One descriptor is for the
 * typed `TradeIntent`, one for the guard's `execute` and `executeFor`.
 *
 * A descriptor says the same of a purchase and of a sale, since it cannot tell which token is the stock: `minAmountOut`
 * is bought for `amountIn`.
 */
import { CERTIFICATE_TYPES, guardDomain, TRADE_INTENT_TYPES } from "./certificate.ts";

/** The released version that is in force; version 1 is deprecated. */
const SCHEMA = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

export interface ClearSigningField {
  readonly path: string;
  readonly label: string;
  readonly format?: "tokenAmount" | "date" | "addressName";
  readonly params?: Readonly<Record<string, string | readonly string[]>>;
  readonly visible: "always" | "optional" | "never";
}

export interface ClearSigningFormat {
  /** For wallets that show the fields one by one. */
  readonly intent: string;
  /** For wallets that show one sentence, perhaps nothing else. It must name every other payee. */
  readonly interpolatedIntent: string;
  readonly fields: readonly ClearSigningField[];
}

export interface ClearSigningDescriptor {
  readonly $schema: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly metadata: { readonly owner: string; readonly contractName: string };
  readonly display: { readonly formats: Readonly<Record<string, ClearSigningFormat>> };
}

const METADATA = { owner: "Assay", contractName: "TradeGuard" };
/** Whose trade it is: the signer's, or that of somebody else who has signed it. */
type Sender = "own" | "relayed";
/** Small screens cut longer ones. */
const INTENTS = { own: "Guarded trade", relayed: "Relay a trade" };

interface Member {
  readonly name: string;
  readonly type: string;
}

const declared = (members: readonly Member[]) => members.map(({ type, name }) => `${type} ${name}`).join(",");

/** For the typed data that owners sign when somebody else sends the trade. */
export function tradeIntentDescriptor(chainId: number, guard: string): ClearSigningDescriptor {
  const { name, version } = guardDomain(chainId, guard);
  const primaryType = `TradeIntent(${declared(TRADE_INTENT_TYPES.TradeIntent)})`;
  return {
    $schema: SCHEMA,
    context: {
      $id: "TradeIntent of TradeGuard",
      eip712: { domain: { name, version }, deployments: [{ chainId, address: guard }] },
    },
    metadata: METADATA,
    display: { formats: { [primaryType]: tradeFormat("", "own", []) } },
  };
}

/** For the guard's calls with readable arguments: sent by the owner, and relayed. */
export function guardCallDescriptor(chainId: number, guard: string): ClearSigningDescriptor {
  const structs: Member[] = [
    { name: "intent", type: `(${declared(TRADE_INTENT_TYPES.TradeIntent)})` },
    { name: "certificate", type: `(${declared(CERTIFICATE_TYPES.VerificationCertificate)})` },
  ];
  const bytes = (...names: string[]): Member[] => names.map((name) => ({ name, type: "bytes" }));
  const execute = bytes("certificateSignature", "routeCallData");
  const executeFor = bytes("certificateSignature", "ownerSignature", "routeCallData");
  const hidden = (members: readonly Member[]) => [
    ...CERTIFICATE_TYPES.VerificationCertificate.map(({ name }) => `certificate.${name}`),
    ...members.map(({ name }) => name),
  ];
  return {
    $schema: SCHEMA,
    context: { $id: "TradeGuard", contract: { deployments: [{ chainId, address: guard }] } },
    metadata: METADATA,
    display: {
      formats: {
        [`execute(${declared([...structs, ...execute])})`]: tradeFormat("intent.", "own", hidden(execute)),
        // The relayer pays nothing of it, so the sentence names the owner.
        [`executeFor(${declared([...structs, ...executeFor])})`]: tradeFormat(
          "intent.",
          "relayed",
          hidden(executeFor),
        ),
      },
    },
  };
}

/**
 * @param at where the trade intent's members stand, with a dot behind it
 * @param hidden paths of what the guard checks and people cannot read
 */
function tradeFormat(at: string, sender: Sender, hidden: readonly string[]): ClearSigningFormat {
  const amount = (member: string, token: string, label: string): ClearSigningField => ({
    path: `${at}${member}`,
    label,
    format: "tokenAmount",
    params: { tokenPath: `${at}${token}` },
    visible: "always",
  });
  const account = (
    member: string,
    label: string,
    types: string[],
    visible: ClearSigningField["visible"],
  ) => ({
    path: `${at}${member}`,
    label,
    format: "addressName" as const,
    params: { types, sources: ["local", "ens"] },
    visible,
  });
  const unseen = [
    // The amounts name them.
    `${at}inputToken`,
    `${at}outputToken`,
    // The guard holds the route call data against them, and the certificate against all of it.
    ...["selector", "callDataHash", "nonce"].map((member) => `${at}${member}`),
    ...hidden,
  ];
  return {
    intent: INTENTS[sender],
    interpolatedIntent: `${sender === "own" ? "Buy" : `For {${at}owner}: buy`} at least {${at}minAmountOut} for {${at}amountIn} until {${at}deadline}, paid to {${at}recipient}`,
    fields: [
      amount("amountIn", "inputToken", "Pay"),
      amount("minAmountOut", "outputToken", "Receive at least"),
      account("recipient", "Paid to", ["wallet", "eoa", "contract"], "always"),
      {
        path: `${at}deadline`,
        label: "Until",
        format: "date",
        params: { encoding: "timestamp" },
        visible: "always",
      },
      account("route", "Through", ["contract"], "always"),
      // The guard takes an owner's own trade from nobody else, and typed data from no other key.
      account("owner", "Paid by", ["wallet", "eoa", "contract"], sender === "own" ? "optional" : "always"),
      ...unseen.map((path): ClearSigningField => ({ path, label: labelOf(path), visible: "never" })),
    ],
  };
}

/** `certificate.intentHash` as `Certificate intentHash`. */
function labelOf(path: string): string {
  const text = path.replaceAll(".", " ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
