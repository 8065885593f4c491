/** Step `policy`: which definition judged the trade, and who vouches for it. */
import type { Evidence } from "../evidence/evidence.ts";
import { POLICY_VERSIONS, type Policy } from "../policies/policy.ts";
import type { Reader } from "./trust.ts";
import type { Account } from "./verification.ts";

/**
 * @returns the policy to judge by again; null where there is none that the reader can take
 */
export function policyStep({ policy: named }: Evidence, reader: Reader, account: Account): Policy | null {
  account.ask("policy");
  const { policyId, version, definitionHash } = named;
  const isNamed = ({ definition }: Policy) =>
    definition.policyId === policyId && definition.version === version;
  const trusted = [...(reader.policies ?? []), ...POLICY_VERSIONS];
  const samePolicy = trusted.find((policy) => policy.definitionHash === definitionHash);
  if (samePolicy !== undefined) {
    if (!isNamed(samePolicy)) account.wrong("policy", "policy_other_name", { policyId, version });
    return samePolicy;
  }
  // A known name stands for a known definition: another one under it misleads whoever reads the name.
  const redefined = trusted.find(isNamed);
  if (redefined !== undefined) {
    const knownHash = redefined.definitionHash;
    account.wrong("policy", "policy_redefined", { policyId, version, definitionHash, knownHash });
    return null;
  }
  const served = reader.servicePolicies?.find((policy) => policy.definitionHash === definitionHash);
  if (served === undefined) {
    account.unknown("policy", "policy_unknown", { policyId, version, definitionHash });
    return null;
  }
  if (!isNamed(served)) account.wrong("policy", "policy_other_name", { policyId, version });
  account.trust("policy", "policy_of_service", { policyId, version }, "policies");
  return served;
}
