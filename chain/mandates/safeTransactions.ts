/** Grants and revocations for the Transaction Builder, which shows a Safe's owners each method with its values. */
import { type Parameter, type SafeTransaction, safeTransaction } from "../../attestor/evm/safeFile.ts";
import { type GrantOfSafe, MANDATE_MEMBERS } from "./calls.ts";

const parameter = (name: string, type = "address"): Parameter => ({ name, type });
const GRANT = {
  name: "grant",
  inputs: [parameter("agent"), { ...parameter("mandate", "tuple"), components: MANDATE_MEMBERS }],
};

/** What a Safe sends to grant: by itself, or with the enabling of the module before it. */
export function grantTransactions(module: string, granted: GrantOfSafe): SafeTransaction[] {
  const { safe, agent, mandate, enabled } = granted;
  const members = [
    mandate.settlementToken,
    String(mandate.expiresAt),
    mandate.revoker,
    mandate.perTrade,
    mandate.perDay,
    mandate.budget,
    mandate.stocks.map(({ token, sellable }) => [token, sellable]),
    mandate.policies,
  ];
  const enable = { name: "enableModule", inputs: [parameter("module")] };
  return [
    ...(enabled ? [] : [safeTransaction(safe, enable, [module])]),
    safeTransaction(module, GRANT, [agent, members]),
  ];
}

export function revokeTransaction(module: string, safe: string, agent: string): SafeTransaction {
  return safeTransaction(module, { name: "revoke", inputs: [parameter("safe"), parameter("agent")] }, [
    safe,
    agent,
  ]);
}
