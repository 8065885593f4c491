/** What became of a job: its decision, its checks, its trades. */
import { useRef, useState } from "preact/hooks";
import type { z } from "zod";
import type { Job } from "../../api/jobs/schemas.ts";
import { findingName } from "../../attestor/view/findingWords.ts";
import { bothTimes } from "../../attestor/view/times.ts";
import { ask, saveFile } from "../browser.ts";
import { Rows, SecretField } from "../pieces.tsx";
import { currentKey } from "../readerKey.ts";
import { pageLanguage, refusalText } from "../words.ts";
import WORDS from "./jobWords.json" with { type: "json" };

type JobAnswer = z.infer<typeof Job>;
type Finding = NonNullable<JobAnswer["report"]>["findings"][number];

const TOKEN = /^jt_[A-Za-z0-9_-]{43}$/;

/** The form has no names and is never sent: the token goes into a header. */
export function JobView({ jobId }: { jobId: string }) {
  const words = WORDS[pageLanguage()];
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const [job, setJob] = useState<JobAnswer | null>(null);

  const open = async (headers: Record<string, string>) => {
    setSaid(words.asking);
    const answer = await ask(`/v1/jobs/${encodeURIComponent(jobId)}`, headers);
    if (!answer.ok) return setSaid(refusalText(answer, words.refused));
    setSaid("");
    // Sound: the service answers by the schema that this is the type of.
    setJob(answer.body as JobAnswer);
  };
  const openByToken = () => {
    const token = input.current?.value.trim() ?? "";
    if (!TOKEN.test(token)) return setSaid(words.form);
    void open({ authorization: `Bearer ${token}` });
  };

  if (job !== null) return <OpenJob job={job} />;
  return (
    <div class="ask">
      <SecretField id="token" label={words.token} input={input} onEnter={openByToken} />
      <button type="button" class="strong" onClick={openByToken}>
        {words.open}
      </button>
      {currentKey() !== null && (
        <button type="button" onClick={() => void open({})}>
          {words.withKey}
        </button>
      )}
      {said !== "" && <p role="status">{said}</p>}
    </div>
  );
}

function OpenJob({ job }: { job: JobAnswer }) {
  const words = WORDS[pageLanguage()];
  const { report } = job;
  return (
    <div class="job">
      <Rows
        of={[
          [words.decision, report === undefined ? words.unpaid : <b>{words.decisions[report.decision]}</b>],
          [words.policy, job.intent.policyId],
          [words.created, bothTimes(Date.parse(job.createdAt), pageLanguage())],
          [words.reports, job.reports.length],
        ]}
      />
      {report !== undefined && (
        <>
          <h3>{words.checks}</h3>
          <ul class="checks">
            {report.findings.map(({ check, outcome, message }) => (
              <li key={check}>
                <span class={`dot ${outcome === "pass" ? "good" : "bad"}`} /> <b>{check}</b>{" "}
                {words.outcomes[outcome]} <FindingText {...{ check, message }} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{words.trades}</h3>
      {job.executions.length === 0 && <p class="soft">{words.noTrades}</p>}
      <ul>
        {job.executions.map(({ executionId, transactionHash, state, confirmed, reason }) => (
          <li key={executionId}>
            <b>{words.states[state]}</b> <code>{transactionHash}</code> {reason}
            {confirmed !== null && (
              <small>
                <a href={`/reports/${confirmed.evidenceHash}`}>{words.evidence}</a>
              </small>
            )}
          </li>
        ))}
      </ul>
      {report !== undefined && (
        <p>
          <button
            type="button"
            onClick={() => saveFile(`${job.jobId}.json`, JSON.stringify(report, null, 2))}
          >
            {words.save}
          </button>{" "}
          <span class="soft">{words.saveHelp}</span>
        </p>
      )}
      {report !== undefined && (
        <p>
          <a href={`/search?q=${report.evidenceHash}`}>{words.logEntry}</a>
        </p>
      )}
    </div>
  );
}

/** The method's own sentences are English. In Chinese the name of the check comes first. */
function FindingText({ check, message }: Pick<Finding, "check" | "message">) {
  const language = pageLanguage();
  return (
    <span class="soft">
      {language === "en" ? "" : `${findingName(check, language)} `}
      <span lang="en">{message}</span>
    </span>
  );
}
