/** The reader's wallets: one is connected, or switched to the page's chain first. And the buttons that ask them. */
import { useEffect, useState } from "preact/hooks";
import { Section } from "../parts.tsx";
import { faultText, SignFault } from "./faults.ts";
import { discoverWallets, switchChain, type Wallet } from "./wallet.ts";

export interface Act {
  readonly label: string;
  /** @throws SignFault */
  do(): Promise<unknown>;
}

interface ActsProps {
  readonly acts: readonly Act[];
  readonly isReady?: boolean;
  /** The first is what the reader came for. */
  readonly isStrong?: boolean;
  /** What is said meanwhile. */
  readonly busy: string;
}

/** Buttons of which one acts at a time, and what became of it. */
export function Acts({ acts, isReady = true, isStrong = false, busy }: ActsProps) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const run = async (act: Act) => {
    setBusy(true);
    setFault("");
    await act.do().catch((error: unknown) => setFault(faultText(error)));
    setBusy(false);
  };
  return (
    <>
      <p class="buttons">
        {acts.map((act, index) => (
          <button
            key={index}
            type="button"
            class={isStrong && index === 0 ? "strong" : undefined}
            disabled={!isReady || isBusy}
            onClick={() => void run(act)}
          >
            {act.label}
          </button>
        ))}
      </p>
      <p class={fault === "" ? "said soft" : "said fault"} aria-live="polite">
        {isBusy ? busy : fault}
      </p>
    </>
  );
}

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
  const acts: Act[] = wallets.map((wallet) => ({
    label: `Connect ${wallet.name}`,
    do: () => open(wallet),
  }));
  if (stray !== null)
    acts.push({
      label: `Switch ${stray.name} to chain ${chainId}`,
      do: () => switchChain(stray, chainId).then(() => open(stray)),
    });
  return (
    <Section title="Wallet">
      <div class="wallets">
        {wallets.length === 0 ? (
          <p class="soft">
            No wallet has announced itself in this browser. Install one that supports EIP-6963, or unlock
            yours and reload the page.
          </p>
        ) : (
          <Acts acts={acts} busy="Asking your wallet …" />
        )}
      </div>
      <p class="account">
        Connected account: <code>{account ?? "–"}</code>
      </p>
    </Section>
  );
}
