/** /sign: a reader's wallet grants and revokes mandates. */
import { useState } from "preact/hooks";
import { Section } from "../pieces.tsx";
import { Existing } from "./Existing.tsx";
import { askedIn, firstFields } from "./fields.ts";
import { GrantForm } from "./GrantForm.tsx";
import { type Connected, connect, type Standing } from "./onChain.ts";
import { Steps } from "./Parts.tsx";
import { type Plan, planGrant } from "./plans.ts";
import { type PageProps, Review } from "./Review.tsx";
import { Wallets } from "./Wallets.tsx";
import { SignFault, signWords } from "./words.ts";

export interface SignProps extends Pick<PageProps, "terms" | "now"> {
  /** Fragment of the page's address. */
  readonly hash: string;
}

export function Sign({ terms, now, hash }: SignProps) {
  const [connected, setConnected] = useState<Connected | null>(null);
  const [shown, onStands] = useState<Standing | null>(null);
  const page: PageProps = { terms, now, connected, onStands };
  return (
    <div class="sign">
      <Wallets
        chainId={terms.chainId}
        account={connected?.account ?? null}
        connect={async (wallet) => setConnected(await connect(wallet, terms))}
      />
      <Grant {...page} hash={hash} />
      <Existing {...page} shown={shown} />
    </div>
  );
}

function Grant({ hash, ...page }: PageProps & Pick<SignProps, "hash">) {
  const words = signWords();
  const { terms, now, connected } = page;
  const [{ fields: first, linked }] = useState(() => firstFields(hash, terms, Math.floor(now() / 1_000)));
  const [fields, setFields] = useState(first);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const [plan, setPlan] = useState<Plan | null>(null);
  const review = async (by: Connected) => {
    const { asked, faults } = askedIn(fields, terms);
    setFaults(faults);
    if (asked === undefined) throw new SignFault("checkFields");
    setPlan(await planGrant(by, terms, asked, String(now())));
  };
  return (
    <Section title={words.grant} hint={words.grantHint}>
      {linked === true && <p class="warned">{words.linked}</p>}
      {linked === null && <p class="fault">{words.badLink}</p>}
      {plan === null ? (
        <>
          <GrantForm terms={terms} fields={fields} faults={faults} onChange={setFields} />
          <Steps by={connected} isStrong of={[[words.toReview, review]]} />
        </>
      ) : (
        <Review {...page} plan={plan} onClose={() => setPlan(null)} />
      )}
    </Section>
  );
}
