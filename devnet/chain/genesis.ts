/**
 * The contracts on the local chain before its first transaction, which have the same address on every chain. These are
 * Permit2, x402's proxy for it, and the deployers that create contracts at addresses derived from their code.
 */
import { EXACT_PERMIT2_PROXY, PERMIT2 } from "../../api/payments/typedData.ts";
import { CREATE2_DEPLOYER } from "../../chain/mandateContracts.ts";
import { LOCAL_EXACT_PERMIT2_PROXY, permit2Code } from "../artifacts.ts";

/** Creates the contracts of Safe. */
export const SAFE_SINGLETON_FACTORY = "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7";
/** Of both; written in bytes. */
const CREATE2_DEPLOYER_CODE =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

/**
 * Addresses and codes.
 * @param request asks the chain; the proxy's code is what its creation returns
 */
export async function genesisCode(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
): Promise<[address: string, code: string][]> {
  const proxy = (await request("eth_call", [
    { data: LOCAL_EXACT_PERMIT2_PROXY.bytecode },
    "latest",
  ])) as string;
  return [
    [CREATE2_DEPLOYER, CREATE2_DEPLOYER_CODE],
    [SAFE_SINGLETON_FACTORY, CREATE2_DEPLOYER_CODE],
    [PERMIT2, permit2Code(PERMIT2)],
    [EXACT_PERMIT2_PROXY, proxy],
  ];
}
