/**
 * Wallets of the reader's browser, which announce themselves by EIP-6963 and are asked by EIP-1193. What they say comes
 * from outside, like anything else.
 */
import { requestProviders } from "mipd";
import * as z from "zod";
import { Address } from "../../attestor/values/primitives.ts";
import { printable } from "../../attestor/view/printable.ts";
import { SignFault } from "./faults.ts";

interface Provider {
  request(asked: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

const Announced = z.object({
  info: z.object({ uuid: z.string().min(1).max(100), name: z.string().min(1).max(100) }),
  provider: z.custom<Provider>((value) => typeof (value as Provider | null)?.request === "function"),
});

export interface Wallet {
  readonly id: string;
  readonly name: string;
  /** @throws SignFault where the wallet refuses, fails, or answers something else */
  ask<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T>;
}

/** Tells of each wallet once, also of those that come later. @returns ends it */
export function discoverWallets(onWallet: (wallet: Wallet) => void): () => void {
  const known = new Set<string>();
  const end = requestProviders((announced: unknown) => {
    const { data } = Announced.safeParse(announced);
    if (data === undefined || known.has(data.info.uuid)) return;
    known.add(data.info.uuid);
    onWallet(walletOf(data));
  });
  return () => end?.();
}

function walletOf({ info, provider }: z.infer<typeof Announced>): Wallet {
  return {
    id: info.uuid,
    name: printable(info.name),
    async ask(schema, method, ...params) {
      const answer = schema.safeParse(await provider.request({ method, params }).catch(rejected));
      if (!answer.success) throw new SignFault("badAnswer", { method });
      return answer.data;
    },
  };
}

const Rejection = z.object({ code: z.number().optional(), message: z.string().optional() });
const REFUSED = 4001;

function rejected(error: unknown): never {
  const { code, message = "" } = Rejection.safeParse(error).data ?? {};
  if (code === REFUSED) throw new SignFault("refused");
  throw new SignFault("walletFailed", { message: printable(message).slice(0, 300) });
}

export const Accounts = z.array(Address).max(1_000);
