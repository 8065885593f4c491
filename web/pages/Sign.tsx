/** /sign: the reader's wallet signs the one trade that a link names. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Island } from "../island.tsx";
import { Rows, Section } from "../parts.tsx";
import type { SignPage as SignPageValues } from "../props.ts";
import type { Judge } from "../report/judge.ts";
import { faultText, SignFault } from "../sign/faults.ts";
import { Trade } from "../sign/Trade.tsx";
import { linkIn } from "../sign/trade.ts";
import type { Content } from "./Document.tsx";

const TITLE = "Sign with your wallet";
const LEAD =
  "Sign one trade that your agent prepared and sent you a link to. Your wallet is asked for nothing before this page has said in words what it is.";

export function signContent({ chainId, guard }: SignPageValues): Content {
  return {
    title: TITLE,
    description: LEAD,
    inEnglish: true,
    islands: ["sign.tsx"],
    main: (
      <Island name="sign" props={{ chainId, guard }}>
        <SignPage chainId={chainId} guard={guard} openJudge={null} now={() => 0} />
      </Island>
    ),
  };
}

interface SignPageProps extends Omit<SignPageValues, "name"> {
  /** null: on the server. */
  readonly openJudge: (() => Judge) | null;
  /** Unix milliseconds. */
  now(): number;
}

export function SignPage({ chainId, guard, openJudge, now }: SignPageProps) {
  return (
    <>
      <h1>{TITLE}</h1>
      <p class="lead soft">{LEAD}</p>
      <Section
        title="The contracts"
        hint="The code of this page is the service's own, and so is what it says here. Compare the guard with what you have from elsewhere, and the call with what your wallet shows."
      >
        <Rows
          of={[
            ["Chain", <code>{chainId}</code>],
            ["Guard", <code>{guard}</code>],
          ]}
        />
      </Section>
      <div class="signing">
        <noscript>
          <p>Signing on this page needs JavaScript and a wallet in the browser.</p>
        </noscript>
        {openJudge === null ? null : (
          <LinkedTrade chainId={chainId} guard={guard} openJudge={openJudge} now={now} />
        )}
      </div>
    </>
  );
}

type LinkedTradeProps = SignPageProps & { readonly openJudge: () => Judge };

/** Which trade, the address says in its fragment, of which the service hears nothing. */
function LinkedTrade({ chainId, guard, openJudge, now }: LinkedTradeProps) {
  const hash = useFragment();
  const link = linkIn(hash);
  const isOurs = link !== null && link.guard === guard && link.chainId === chainId;
  const judge = useMemo(() => (isOurs ? openJudge() : null), [isOurs]);
  if (link === null) return <p class="fault">{faultText(new SignFault("badTradeLink"))}</p>;
  if (!isOurs || judge === null) {
    const fault = new SignFault("otherTradeGuard", { guard: link.guard, chainId: link.chainId });
    return <p class="fault">{faultText(fault)}</p>;
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
