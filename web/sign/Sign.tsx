/** /sign: a reader's wallet grants and revokes mandates. */
import { useEffect, useState } from "preact/hooks";
import { canonicalHash } from "../../attestor/values/canonical.ts";
import { filled } from "../../attestor/view/language.ts";
import { Existing } from "./Existing.tsx";
import { type Asked, askedIn, type Fields, firstFields } from "./fields.ts";
import { GrantForm } from "./GrantForm.tsx";
import { type Connected, connect, type Standing, standing, type Terms } from "./onChain.ts";
import { Said, signWords, useStep } from "./Parts.tsx";
import { planGrant } from "./plans.ts";
import { type Plan, Review } from "./Review.tsx";
import { SignFault } from "./signFault.ts";
import { discoverWallets, type Wallet } from "./wallet.ts";

export interface SignProps {
  readonly terms: Terms;
  /** Fragment of the page's address. */
  readonly hash: string;
  /** Unix milliseconds. */
  now(): number;
}

export function Sign(props: SignProps) {
  const [connected, setConnected] = useState<Connected | null>(null);
  const [shown, setShown] = useState<Standing | null>(null);
  return (
    <div class="sign">
      <Wallets terms={props.terms} connected={connected} onConnected={setConnected} />
      <Grant {...props} connected={connected} onGranted={setShown} />
      <Existing {...props} connected={connected} shown={shown} onShown={setShown} />
    </div>
  );
}

interface WalletsProps {
  readonly terms: Terms;
  readonly connected: Connected | null;
  onConnected(connected: Connected): void;
}

function Wallets({ terms, connected, onConnected }: WalletsProps) {
  const words = signWords();
  const step = useStep();
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  useEffect(() => discoverWallets((wallet) => setWallets((before) => [...before, wallet])), []);
  return (
    <section class="part">
      <h2>{words.wallet}</h2>
      {wallets.length === 0 && <p class="soft">{words.noWallet}</p>}
      <p class="buttons">
        {wallets.map((wallet) => (
          <button
            key={wallet.id}
            type="button"
            disabled={step.isBusy}
            onClick={() => void step.run(async () => onConnected(await connect(wallet, terms)))}
          >
            {filled(words.connect, { wallet: wallet.name })}
          </button>
        ))}
      </p>
      <Said {...step} busy={words.asking} />
      {connected !== null && (
        <p>
          {words.account} <code>{connected.account}</code>
        </p>
      )}
    </section>
  );
}

interface GrantProps extends SignProps {
  readonly connected: Connected | null;
  onGranted(standing: Standing): void;
}

function Grant({ terms, hash, now, connected, onGranted }: GrantProps) {
  const words = signWords();
  const step = useStep();
  const [{ fields: first, linked }] = useState(() => firstFields(hash, terms, Math.floor(now() / 1_000)));
  const [fields, setFields] = useState<Fields>(first);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [reviewed, setReviewed] = useState<{ plan: Plan; asked: Asked; by: Connected } | null>(null);

  const review = (by: Connected) => {
    const read = askedIn(fields, terms);
    setFaults("faults" in read ? read.faults : []);
    if ("faults" in read) return;
    const { asked } = read;
    void step.run(async () =>
      setReviewed({ asked, by, plan: await planGrant(by, terms, asked, String(now())) }),
    );
  };
  const confirmed = async ({ plan: { safe }, asked, by }: NonNullable<typeof reviewed>) => {
    const found = await standing(by.wallet, terms, { safe, agent: asked.agent });
    onGranted(found);
    if (canonicalHash(found.mandate) !== canonicalHash(asked.mandate)) throw new SignFault("otherMandate");
    setReviewed(null);
  };

  return (
    <section class="part">
      <h2>{words.grant}</h2>
      {linked === true && <p class="warned">{words.linked}</p>}
      {linked === null && <p class="fault">{words.badLink}</p>}
      {reviewed === null ? (
        <>
          <GrantForm terms={terms} fields={fields} faults={faults} onChange={setFields} />
          <p class="buttons">
            <button
              type="button"
              class="strong"
              disabled={connected === null || step.isBusy}
              onClick={() => connected && review(connected)}
            >
              {words.toReview}
            </button>
            {connected === null && <span class="soft">{words.connectFirst}</span>}
          </p>
          <Said {...step} fault={faults.length > 0 ? words.checkFields : step.fault} busy={words.asking} />
        </>
      ) : (
        <Review
          plan={reviewed.plan}
          terms={terms}
          connected={reviewed.by}
          now={now}
          onDone={() => confirmed(reviewed)}
          onBack={() => setReviewed(null)}
        />
      )}
    </section>
  );
}
