/** The reader's wallets: one is connected, or switched to the page's chain first. */
import { useEffect, useState } from "preact/hooks";
import { filled } from "../../attestor/view/language.ts";
import { Section } from "../parts.tsx";
import words from "../words/sign.json" with { type: "json" };
import { SignFault } from "./faults.ts";
import { switchChain } from "./onChain.ts";
import { Steps } from "./Steps.tsx";
import { discoverWallets, type Wallet } from "./wallet.ts";

interface WalletsProps {
  readonly chainId: number;
  readonly account: string | null;
  /** @throws SignFault */
  connect(wallet: Wallet): Promise<void>;
}

export function Wallets({ chainId, account, connect }: WalletsProps) {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  /** On another chain. */
  const [stray, setStray] = useState<Wallet | null>(null);
  useEffect(() => discoverWallets((wallet) => setWallets((before) => [...before, wallet])), []);
  const open = async (wallet: Wallet) => {
    setStray(null);
    await connect(wallet).catch((error: unknown) => {
      if (error instanceof SignFault && error.code === "wrongChain") setStray(wallet);
      throw error;
    });
  };
  return (
    <Section title={words.wallet}>
      {wallets.length === 0 && <p class="soft">{words.noWallet}</p>}
      <Steps
        by={wallets}
        of={[
          ...wallets.map(
            (wallet) => [filled(words.connect, { wallet: wallet.name }), () => open(wallet)] as const,
          ),
          ...(stray === null
            ? []
            : [
                [
                  filled(words.switchChain, { wallet: stray.name, chainId }),
                  () => switchChain(stray, chainId).then(() => open(stray)),
                ] as const,
              ]),
        ]}
      />
      <p>
        {words.account} <code>{account ?? "–"}</code>
      </p>
    </Section>
  );
}
