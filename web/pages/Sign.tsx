/** /sign: single trades that the reader's own wallet signs. */
import { Island } from "../island.tsx";
import type { SignPage as SignPageValues } from "../props.ts";
import { SignPage } from "../sign/SignPage.tsx";
import words from "../words/sign.json" with { type: "json" };
import type { Content } from "./Document.tsx";

export function signContent({ chainId, guard }: SignPageValues): Content {
  return {
    title: words.page.title,
    description: words.page.lead,
    inEnglish: true,
    islands: ["sign.tsx"],
    main: (
      <Island name="sign" props={{ chainId, guard }}>
        <SignPage chainId={chainId} guard={guard} openJudge={null} now={() => 0} />
      </Island>
    ),
  };
}
