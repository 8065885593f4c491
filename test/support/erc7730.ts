/**
 * Shows what is signed as a wallet with an ERC-7730 descriptor (version 2) does: bound to the descriptor's guard, decoded
 * by the names in its keys alone. No published package does it without a network. `@erc7730/sdk` 0.1.3 checks a
 * descriptor's shape, but finds no key with a named struct, and supports neither members of structs, nor `tokenPath`, nor
 * typed data. Ledger's context module 2.6.0 reads no descriptors. It fetches what Ledger has compiled from them and
 * signed for its devices, which do the rest (`ledgerBackend.ts`). The SDK writes amounts.
 */
import { formatAmount } from "@erc7730/sdk";
import { AbiCoder, FunctionFragment, getAddress, id, type ParamType, TypedDataEncoder } from "ethers";
import type { ClearSigningDescriptor, ClearSigningFormat } from "../../attestor/certificate/clearSigning.ts";

/** What a wallet knows by itself. */
export interface Lookups {
  token(address: string): { symbol: string; decimals: number } | null;
  /** A name in its address book. */
  nameOf?(address: string): string | null;
}

export interface Shown {
  readonly intent: string;
  readonly sentence: string;
  /** `label: value` of what is always shown, in order. */
  readonly lines: string[];
}

type Values = Readonly<Record<string, unknown>>;

/** Typed data as `eth_signTypedData_v4` takes it. @throws Error where the descriptor is not for it */
export function showTypedData(descriptor: ClearSigningDescriptor, typedData: any, lookups: Lookups): Shown {
  const { eip712 } = descriptor.context as any;
  const { domain, types, primaryType, message } = typedData;
  for (const [name, value] of Object.entries(eip712.domain))
    if (domain[name] !== value) throw new Error(`another domain: ${name}`);
  assertDeployed(eip712.deployments, domain.chainId, domain.verifyingContract);
  const typeHash = id(TypedDataEncoder.from({ [primaryType]: types[primaryType] }).encodeType(primaryType));
  const found = Object.entries(descriptor.display.formats).find(([key]) => id(key) === typeHash);
  if (found === undefined) throw new Error("no format of this type");
  return shown(found[1], message, lookups);
}

/** A transaction. @throws Error where the descriptor is not for it */
export function showCall(
  descriptor: ClearSigningDescriptor,
  { chainId, to, data }: { chainId: number; to: string; data: string },
  lookups: Lookups,
): Shown {
  assertDeployed((descriptor.context as any).contract.deployments, chainId, to);
  for (const [key, format] of Object.entries(descriptor.display.formats)) {
    const fragment = FunctionFragment.from(`function ${key}`);
    if (data.slice(0, 10) !== fragment.selector) continue;
    const values = AbiCoder.defaultAbiCoder().decode(fragment.inputs, `0x${data.slice(10)}`);
    return shown(format, values.toObject(true), lookups);
  }
  throw new Error("no format of this function");
}

function assertDeployed(deployments: readonly any[], chainId: number, address: string): void {
  const onChain = deployments.filter((one) => one.chainId === chainId);
  if (!onChain.some((one) => getAddress(one.address) === getAddress(address)))
    throw new Error("another contract");
}

function shown(format: ClearSigningFormat, values: Values, lookups: Lookups): Shown {
  const { intent, interpolatedIntent, fields } = format;
  const textOf = ({ path, format, params }: ClearSigningFormat["fields"][number]): string => {
    const value = at(values, path);
    if (format === "tokenAmount") {
      const token = lookups.token(getAddress(String(at(values, String(params?.tokenPath)))));
      if (token === null) return `${value} of an unknown token`;
      return formatAmount(BigInt(value as string), token.decimals, token.symbol);
    }
    if (format === "date") return new Date(Number(value) * 1000).toISOString().replace(".000Z", "Z");
    return lookups.nameOf?.(getAddress(String(value))) ?? getAddress(String(value));
  };
  const visible = fields.filter((field) => field.visible === "always");
  const sentence = interpolatedIntent.replace(/\{([^}]*)\}/g, (_whole, path: string) => {
    const field = visible.find((candidate) => candidate.path === path);
    if (field === undefined) throw new Error(`{${path}} is no field that is always shown`);
    return textOf(field);
  });
  return { intent, sentence, lines: visible.map((field) => `${field.label}: ${textOf(field)}`) };
}

function at(values: unknown, path: string): unknown {
  const value = path.split(".").reduce((inner: any, name) => inner?.[name], values);
  if (value === undefined) throw new Error(`nothing at ${path}`);
  return value;
}

/** What ERC-7730 demands of a descriptor beyond its shape, and Ledger's limits. @returns what is wrong */
export function lint(descriptor: ClearSigningDescriptor): string[] {
  return Object.entries(descriptor.display.formats).flatMap(([key, format]) => {
    const leaves = leavesOf(FunctionFragment.from(`function ${key}`).inputs);
    const paths = format.fields.map(({ path }) => path);
    const always = format.fields.filter(({ visible }) => visible === "always");
    const inSentence = [...format.interpolatedIntent.matchAll(/\{([^}]*)\}/g)].map(([, path]) => path!);
    const fits = { tokenAmount: "uint256", date: "uint256", addressName: "address" };
    return [
      ...(/, | {2}|\( | \)/.test(key) ? ["blanks in the key"] : []),
      ...[...leaves.keys()].filter((leaf) => !paths.includes(leaf)).map((leaf) => `${leaf} is not mentioned`),
      ...paths.filter((path) => !leaves.has(path)).map((path) => `${path} is not there`),
      ...paths.filter((path, index) => paths.indexOf(path) !== index).map((path) => `${path} twice`),
      ...inSentence.flatMap((path) =>
        always.some((field) => field.path === path) ? [] : [`{${path}} is not always shown`],
      ),
      ...(format.intent.length > 20 ? ["the intent is cut"] : []),
      ...format.fields.flatMap(({ path, label, format: kind, params, visible }) => [
        ...(visible !== "never" && label.length > 20 ? [`the label of ${path} is cut`] : []),
        ...(visible !== "never" && kind === undefined ? [`${path} is shown raw`] : []),
        ...(kind !== undefined && leaves.get(path) !== fits[kind] ? [`${path} is no ${kind}`] : []),
        ...(kind === "tokenAmount" && leaves.get(String(params?.tokenPath)) !== "address"
          ? [`${path} has no token`]
          : []),
      ]),
    ];
  });
}

/** Types by path. A type of EIP-712 without structs inside reads like a function. */
function leavesOf(inputs: readonly ParamType[], before = ""): Map<string, string> {
  const leaves = inputs.flatMap(({ name, type, components }): [string, string][] =>
    components === null ? [[`${before}${name}`, type]] : [...leavesOf(components, `${before}${name}.`)],
  );
  return new Map(leaves);
}
