/** What the agent's wallet has bought before, found again by its signature alone. */
import { createSIWxClientExtension } from "@x402/extensions/sign-in-with-x";
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from "@x402/fetch";
import type { Wallet } from "ethers";
import type { Client } from "../../client/client.ts";

/** The official client with its extension, and with nothing that could pay. */
export function signingIn(wallet: Pick<Wallet, "address" | "signMessage">, ask: typeof fetch): typeof fetch {
  const signer = {
    address: wallet.address,
    signMessage: ({ message }: { message: string }) => wallet.signMessage(message),
  };
  const client = new x402Client().registerExtension(createSIWxClientExtension({ signers: [signer] }));
  // Its own types of one library in two modules.
  const http = new x402HTTPClient(client) as unknown as Parameters<typeof wrapFetchWithPayment>[1];
  return wrapFetchWithPayment(ask, http) as typeof fetch;
}

/** Prints a line for each purchase, the latest first. @throws ServiceError */
export async function printPurchases(
  client: Pick<Client, "purchases">,
  log: (line: string) => void,
): Promise<void> {
  const { purchases, next } = await client.purchases();
  for (const { jobId, createdAt, decision, reportVersion, evidenceHash, receipt } of purchases) {
    log(`${createdAt}  ${jobId}  ${decision} (version ${reportVersion}), evidence ${evidenceHash}`);
    log(`   paid ${receipt.amount} raw units of ${receipt.asset} in ${receipt.transaction}`);
  }
  log(
    purchases.length === 0
      ? "This wallet has bought nothing here."
      : `${purchases.length} ${purchases.length === 1 ? "purchase" : "purchases"}${next === null ? "" : ", and older ones"}.`,
  );
}
