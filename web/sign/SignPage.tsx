/** /sign: the reader's wallet signs the one trade that a link names. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { filled } from "../../attestor/view/language.ts";
import { Rows, Section } from "../parts.tsx";
import type { Judge } from "../report/judge.ts";
import words from "../words/sign.json" with { type: "json" };
import { Trade } from "./Trade.tsx";
import { linkIn } from "./trade.ts";

export interface SignPageProps {
  /** Where the service is, by its own word. */
  readonly chainId: number;
  readonly guard: string;
  /** null: on the server. */
  readonly openJudge: (() => Judge) | null;
  /** Unix milliseconds. */
  now(): number;
}

export function SignPage({ chainId, guard, openJudge, now }: SignPageProps) {
  return (
    <>
      <h1>{words.page.title}</h1>
      <p class="lead soft">{words.page.lead}</p>
      <Section title={words.page.contracts} hint={words.page.contractsHint}>
        <Rows
          of={[
            [words.page.chain, <code>{chainId}</code>],
            [words.page.guard, <code>{guard}</code>],
          ]}
        />
      </Section>
      <div class="signing">
        <noscript>
          <p>{words.page.byScript}</p>
        </noscript>
        {openJudge === null ? null : (
          <Linked chainId={chainId} guard={guard} openJudge={openJudge} now={now} />
        )}
      </div>
    </>
  );
}

type LinkedProps = SignPageProps & { readonly openJudge: () => Judge };

/** Which trade, the address says in its fragment, of which the service hears nothing. */
function Linked({ chainId, guard, openJudge, now }: LinkedProps) {
  const hash = useFragment();
  const link = linkIn(hash);
  const isOurs = link !== null && link.guard === guard && link.chainId === chainId;
  const judge = useMemo(() => (isOurs ? openJudge() : null), [isOurs]);
  if (link === null) return <p class="fault">{words.faults.badTradeLink}</p>;
  if (!isOurs || judge === null) {
    const gaps = { guard: link.guard, chainId: link.chainId };
    return <p class="fault">{filled(words.faults.otherTradeGuard, gaps)}</p>;
  }
  return <Trade key={hash} link={link} judge={judge} now={now} />;
}

/** Another link to the page changes the fragment alone. */
function useFragment(): string {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const read = () => {
      setHash(location.hash);
      // The same page in another language is of the same trade.
      for (const other of document.querySelectorAll<HTMLAnchorElement>(".languages a"))
        other.hash = location.hash;
    };
    read();
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return hash;
}
