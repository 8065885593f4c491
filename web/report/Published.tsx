/** A published report: what the service says of it, and then what came of judging it in this browser. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { StoredTrade } from "../props.ts";
import words from "../words/report.json" with { type: "json" };
import { Checked, type CheckedProps } from "./Checked.tsx";

export interface PublishedProps extends Pick<CheckedProps, "judge" | "save"> {
  /** Path of the document. */
  readonly path: string;
  readonly stored: StoredTrade;
  /** The text at a path of the service; null: there is none. @throws where it does not answer */
  get(path: string): Promise<string | null>;
}

export function Published({ path, stored, judge, get, save }: PublishedProps) {
  const [text, setText] = useState<string | null>(null);
  const [isLost, setLost] = useState(false);
  const service = useMemo(() => ({ statement: stored.service, get }), [stored, get]);
  useEffect(() => {
    const lost = () => setLost(true);
    get(path).then((answer) => (answer === null ? lost() : setText(answer)), lost);
  }, []);
  return (
    <>
      {isLost ? (
        <p class="fault" role="alert">
          {words.reportFailed}
        </p>
      ) : null}
      <Checked input={text} judge={judge} known={[]} service={service} stored={stored} save={save} />
    </>
  );
}
