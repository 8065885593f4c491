/**
 * Files for the Safe's Transaction Builder. Its checksum is no signature: it tells the signers' browser that nobody
 * changed the file by accident. The algorithm is that of safe-global/safe-react-apps,
 * apps/tx-builder/src/lib/checksum.ts: keccak256 over a serialization with sorted member names, the batch's name
 * left out (null), the checksum itself not there.
 */
import { id } from "./hash.ts";

/** The builder whose format this is. */
const TX_BUILDER_VERSION = "1.18.0";

/** A parameter of a method as the ABI's JSON has it. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  /** Of a struct, or of a list of them. */
  readonly components?: readonly Parameter[] | null;
}

interface SafeInput extends Parameter {
  readonly internalType: string;
  readonly components?: readonly SafeInput[];
}

export interface SafeTransaction {
  readonly to: string;
  /** Wei, decimal. */
  readonly value: string;
  /** Null: the builder encodes method and values itself, and shows the signers both. */
  readonly data: null;
  readonly contractMethod: {
    readonly name: string;
    readonly payable: boolean;
    readonly inputs: readonly SafeInput[];
  };
  readonly contractInputsValues: Readonly<Record<string, string>>;
}

export interface SafeFile {
  readonly version: "1.0";
  readonly chainId: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly meta: {
    readonly name: string;
    readonly description: string;
    readonly txBuilderVersion: string;
    readonly createdFromSafeAddress: string;
    readonly createdFromOwnerAddress: string;
    readonly checksum?: string;
  };
  readonly transactions: readonly SafeTransaction[];
}

/** @param safe who has to send the batch */
export function safeFileOf(options: {
  chainId: number;
  safe: string;
  transactions: readonly SafeTransaction[];
  /** What was typed. */
  name: string;
  description: string;
  /** Unix milliseconds. */
  now: number;
}): SafeFile {
  const { chainId, safe, transactions, name, description, now } = options;
  const file: SafeFile = {
    version: "1.0",
    chainId: String(chainId),
    createdAt: now,
    meta: {
      name,
      description,
      txBuilderVersion: TX_BUILDER_VERSION,
      createdFromSafeAddress: safe,
      createdFromOwnerAddress: "",
    },
    transactions,
  };
  return { ...file, meta: { ...file.meta, checksum: safeChecksum(file) } };
}

/**
 * A call that sends no coins.
 * @param args in the order of the method's inputs, which have names; a struct is a list of its members, numbers are texts
 */
export function safeTransaction(
  to: string,
  { name, inputs }: { readonly name: string; readonly inputs: readonly Parameter[] },
  args: readonly unknown[],
): SafeTransaction {
  return {
    to,
    value: "0",
    data: null,
    contractMethod: {
      name,
      payable: false,
      inputs: inputs.map(inputOf),
    },
    contractInputsValues: Object.fromEntries(
      inputs.map((input, index) => [input.name, valueText(args[index])]),
    ),
  };
}

function inputOf({ name, type, components }: Parameter): SafeInput {
  if (!components) return { name, type, internalType: type };
  return { name, type, internalType: type, components: components.map(inputOf) };
}

/** The builder takes lists and structs as JSON. */
const valueText = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : String(value));

/** keccak256 of the file as the builder serializes it; a checksum that is in it counts as a member like others. */
export function safeChecksum(file: { readonly meta: object }): string {
  return id(serialize({ ...file, meta: { ...file.meta, name: null } }));
}

/** Whether the file is as it was when its checksum was made. */
export function isSafeFileWhole(file: { readonly meta: { readonly checksum?: string } }): boolean {
  const { checksum, ...meta } = file.meta;
  return checksum === safeChecksum({ ...file, meta });
}

function serialize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = value as Record<string, unknown>;
  const names = Object.keys(members).sort();
  // Names first, all together, then the values in their order, each with a comma after it.
  return `{${JSON.stringify(names)}${names.map((name) => `${serialize(members[name])},`).join("")}}`;
}
