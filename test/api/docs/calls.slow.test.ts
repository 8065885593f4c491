/** The code of the reference page, as a reader would run it: copied into a shell, Node and Python, against a real service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { CODE } from "../../../api/docs/calls.ts";
import { testService } from "../../support/service.ts";
import { testFolder } from "../../support/suite.ts";
import { testWorld } from "../../support/world.ts";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const unescaped = (escaped: string) =>
  escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]!);

/** Calls that need nothing but a key, or a job, with what they answer. */
const RUN = {
  listTokens: 200,
  marketOverview: 200,
  premiumHistory: 200,
  latest: 200,
  listPolicies: 200,
  describeVerify: 200,
  verify: 200,
  createJob: 201,
  getJob: 200,
  getReport: 200,
  logCheckpoint: 200,
  logEntries: 200,
} as const;

describe("the code of the reference page", function () {
  this.timeout(120_000);
  const folder = testFolder("calls");
  const world = testWorld();
  const service = testService(world);
  let page: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    await world.tick();
    const { jobId } = await service.newJob();
    env = { ...process.env, ASSAY_API_KEY: service.key, JOB_ID: jobId, ID: jobId };
    page = await (await fetch(`${service.url}/docs?lang=en`)).text();
  });

  const articles = () => page.match(/<article id="(?!schema-)[\s\S]*?<\/article>/g) ?? [];
  /** The code of an operation by its language. */
  const codeOf = (article: string): Record<keyof typeof CODE, string> =>
    Object.fromEntries(
      [...article.matchAll(/<summary>(\w+)<\/summary><pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(
        ([, language, code]) => [language, unescaped(code!)],
      ),
    ) as Record<keyof typeof CODE, string>;

  async function outputOf(command: string, ...args: string[]): Promise<string> {
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return out + err;
  }

  it("is there for every operation in three languages, with whole bodies and no gap but variables", () => {
    expect(articles().length).to.be.greaterThan(30);
    for (const article of articles()) {
      const code = codeOf(article);
      expect(Object.keys(code)).to.deep.equal(Object.keys(CODE));
      for (const each of Object.values(code)) expect(each).not.to.match(/…|\{\{|"<\w+>"/);
    }
  });

  it("is Python that compiles, of every operation", async () => {
    const files = articles().map((article, index) => {
      const file = join(folder, `${index}.py`);
      writeFileSync(file, codeOf(article).Python);
      return file;
    });
    expect(await outputOf("python3", "-m", "py_compile", ...files)).to.equal("");
  });

  for (const [operationId, status] of Object.entries(RUN))
    it(`runs in a shell, in Node and in Python: ${operationId}`, async () => {
      const article = articles().find((each) => each.startsWith(`<article id="${operationId}"`)) ?? "";
      const { curl, TypeScript, Python } = codeOf(article);
      writeFileSync(join(folder, "call.mts"), TypeScript);
      writeFileSync(join(folder, "call.py"), Python);
      const outputs = [
        await outputOf(process.execPath, join(folder, "call.mts")),
        await outputOf("python3", join(folder, "call.py")),
      ];
      // The first creates the job, and the same request again finds it.
      const expected = status === 201 ? [201, 200] : [status, status];
      expect(outputs.map((output) => Number(output.slice(0, 3)))).to.deep.equal(expected, outputs.join("\n"));
      const shell = await outputOf("sh", "-c", `${curl} -o /dev/null -w '%{http_code}'`);
      expect(Number(shell), shell).to.equal(status === 201 ? 200 : status);
    });
});
