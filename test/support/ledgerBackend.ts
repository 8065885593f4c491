/**
 * Replaces Ledger's backend on a loopback address, for Ledger's own @ledgerhq/context-module: answers what that
 * backend would compile of an ERC-7730 descriptor for typed data, and of tokens. Its signatures are fake: devices
 * would refuse them.
 */
import { createRequire } from "node:module";
import { concat, getBytes, toBeHex, toUtf8Bytes, toUtf8String } from "ethers";
import type { ClearSigningDescriptor } from "../../attestor/certificate/clearSigning.ts";
import { localServer } from "./ports.ts";

// Its ES modules name each other in a way that bundlers alone resolve.
const require = createRequire(import.meta.url);
const { ContextModuleBuilder, ContextModuleChainID } = require("@ledgerhq/context-module");
const {
  getSchemaHash,
} = require("@ledgerhq/context-module/src/modules/ethereum/typed-data/utils/getSchemaHash.js");

export type Token = { readonly symbol: string; readonly decimals: number };

/** What a device gets for a screen: its label, how to write the value, and for an amount the token. */
export interface Screen {
  readonly label: string;
  readonly format: string;
  readonly path: string;
  readonly token?: string;
}

const SIGNATURES = { prod: "00", test: "00" };
const SIGNED = { descriptor: "00", signatures: SIGNATURES };

/** The instructions that Ledger's devices take: which member is shown how, and which amount is of which token. */
function compiled({ display }: ClearSigningDescriptor): Record<string, unknown>[] {
  const format = Object.values(display.formats)[0]!;
  let coins = 0;
  const fields = format.fields
    .filter(({ visible }) => visible === "always")
    .flatMap(({ path, label, format: kind, params }): Record<string, unknown>[] => {
      const field = { ...SIGNED, type: "field", display_name: label, field_path: path };
      if (kind === "date") return [{ ...field, format: "datetime" }];
      const names = { name_types: params?.types, name_sources: params?.sources };
      if (kind === "addressName") return [{ ...field, format: "trusted-name", ...names }];
      const coin = { coin_ref: coins++ };
      return [
        { ...field, ...coin, format: "token", field_path: params?.tokenPath },
        { ...field, ...coin, format: "amount" },
      ];
    });
  const head = { ...SIGNED, type: "message", display_name: format.intent };
  return [{ ...head, field_mappers_count: fields.length }, ...fields];
}

/**
 * What Ledger's module hands to the device for typed data, when its backend knows this descriptor.
 * @param tokens by address in lower case
 * @returns null where it has no descriptor for the guard, chain or type
 */
export async function screensOnLedger(
  descriptor: ClearSigningDescriptor,
  { domain, types, primaryType, message }: any,
  tokens: ReadonlyMap<string, Token>,
): Promise<{ title: string; screens: Screen[]; unexpected: string[] } | null> {
  const { eip712 } = descriptor.context as any;
  const [deployment] = eip712.deployments;
  const known = deployment.address.toLowerCase();
  const unexpected: string[] = [];
  const answerTo = (asked: string): object[] => {
    const { pathname, searchParams } = new URL(asked, "http://localhost");
    if (pathname === "/dapps" && searchParams.get("chain_id") === String(deployment.chainId)) {
      const bySchema = { [getSchemaHash(types)]: { instructions: compiled(descriptor) } };
      return [{ descriptors_eip712: { [known]: bySchema } }];
    }
    const address = searchParams.get("contract_address")?.toLowerCase() ?? "";
    const token = tokens.get(address);
    if (pathname === "/tokens" && token !== undefined) {
      const data = tokenData(address, token, deployment.chainId);
      return [{ ticker: token.symbol, descriptor: { data, signatures: SIGNATURES } }];
    }
    if (!["/dapps", "/certificates"].includes(pathname)) unexpected.push(asked);
    return [];
  };
  await using server = await localServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answerTo(request.url ?? "")));
  });
  const { url } = server;
  const context = await new ContextModuleBuilder({ originToken: "none" })
    .setChain(ContextModuleChainID.Ethereum)
    .setCalConfig({ url, mode: "test", branch: "main" })
    .setMetadataServiceConfig({ url })
    .setWeb3ChecksConfig({ url })
    .setReporterConfig({ url })
    .build()
    .getTypedDataFilters({
      deviceModelId: "stax",
      verifyingContract: domain.verifyingContract.toLowerCase(),
      chainId: domain.chainId,
      version: "v2",
      schema: types,
      fieldsValues: types[primaryType].map(({ name, type }: { name: string; type: string }) => ({
        path: name,
        value: getBytes(type.startsWith("uint") ? toBeHex(BigInt(message[name])) : message[name]),
      })),
    });
  if (context.type !== "success") return null;
  const screens = Object.values<any>(context.filters)
    .filter(({ type }) => type !== "token")
    .map(({ displayName, type, path, tokenIndex }) => ({
      label: displayName,
      format: type,
      path,
      ...(tokenIndex === undefined ? {} : { token: tokenIn(context.tokens[tokenIndex]) }),
    }));
  return { title: context.messageInfo.displayName, screens, unexpected };
}

/** As devices take a token: its symbol, address, decimals and chain. */
function tokenData(address: string, { symbol, decimals }: Token, chainId: number): string {
  return concat([toUtf8Bytes(symbol), address, toBeHex(decimals, 4), toBeHex(chainId, 4)]).slice(2);
}

/** The token in what the module hands to the device: the symbol's length stands before those. */
function tokenIn(payload = "00"): string {
  const end = 2 + 2 * Number(`0x${payload.slice(0, 2)}`);
  const decimals = Number(`0x${payload.slice(end + 40, end + 48)}`);
  return `${toUtf8String(`0x${payload.slice(2, end)}`)}, ${decimals} decimals`;
}
