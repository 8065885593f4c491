/** How a page asks its worker, which may end at any time. The worker is a stand-in: browsers end theirs when they please. */
import { expect } from "chai";
import { createJudge, type JudgeDeps } from "../../web/report/judge.ts";
import type { Answer, Question } from "../../web/report/judging.ts";

const QUESTION: Omit<Question, "now"> = {
  input: "{}",
  reader: {},
  known: [],
  servicePolicies: [],
  serviceRegistry: null,
  serviceSamples: null,
};
const ANSWER: Answer = { kind: "fault", field: "guard", message: "an answer" };
const FROM_THE_PAGE: Answer = { kind: "fault", field: "guard", message: "from the page" };

/** A worker as the page sees it. */
class StandIn {
  readonly asked: Question[] = [];
  isEnded = false;
  readonly #listeners = new Map<string, (event: any) => void>();
  addEventListener(type: string, listener: (event: any) => void): void {
    this.#listeners.set(type, listener);
  }
  postMessage(question: Question): void {
    this.asked.push(question);
  }
  terminate(): void {
    this.isEnded = true;
  }
  tell(data: unknown): void {
    this.#listeners.get("message")?.({ data });
  }
  fail(): void {
    this.#listeners.get("error")?.({ preventDefault() {} });
  }
}

function judgeOf(change: Partial<JudgeDeps> = {}) {
  const workers: StandIn[] = [];
  const timers: (() => void)[] = [];
  const judge = createJudge({
    openWorker() {
      const worker = new StandIn();
      workers.push(worker);
      return worker as unknown as Worker;
    },
    judgeHere: async () => FROM_THE_PAGE,
    now: () => 5,
    after(_, then) {
      timers.push(then);
      return () => {};
    },
    ...change,
  });
  return { judge, workers, timers };
}

describe("a page's judge", () => {
  it("a page's judge has the worker open before it is asked, and gives its answer", async () => {
    const { judge, workers } = judgeOf();
    expect(workers).to.have.length(1);
    workers[0]!.tell("ready");
    const asked = judge.ask(QUESTION);
    workers[0]!.tell(ANSWER);
    expect(await asked).to.equal(ANSWER);
    // With the time of the reader's clock.
    expect(workers[0]!.asked[0]!.now).to.equal(5);
  });

  it("ends the worker for a newer question, and tells the older one that it is past", async () => {
    const { judge, workers } = judgeOf();
    workers[0]!.tell("ready");
    const older = judge.ask(QUESTION);
    const newer = judge.ask(QUESTION);
    expect(await older).to.equal(null);
    expect([workers[0]!.isEnded, workers.length]).to.deep.equal([true, 2]);
    // What the ended one still says is nobody's answer.
    workers[0]!.tell(FROM_THE_PAGE);
    workers[1]!.tell(ANSWER);
    expect(await newer).to.equal(ANSWER);
  });

  it("a page's judge does the work in the page where a worker is refused, at once or when it should have come up", async () => {
    const refusing = judgeOf({
      openWorker() {
        throw new Error("not allowed");
      },
    });
    expect(await refusing.judge.ask(QUESTION)).to.equal(FROM_THE_PAGE);
    const { judge, workers } = judgeOf();
    const asked = judge.ask(QUESTION);
    workers[0]!.fail();
    expect(await asked).to.equal(FROM_THE_PAGE);
    expect(await judge.ask(QUESTION)).to.equal(FROM_THE_PAGE);
    expect(workers).to.have.length(1);
  });

  it("says that a worker was lost, or took too long, and opens another for the next question", async () => {
    const { judge, workers, timers } = judgeOf();
    workers[0]!.tell("ready");
    const lost = judge.ask(QUESTION);
    workers[0]!.fail();
    expect(await lost).to.deep.equal({ kind: "lost", why: "failed" });
    const slow = judge.ask(QUESTION);
    workers[1]!.tell("ready");
    timers.at(-1)!();
    expect(await slow).to.deep.equal({ kind: "lost", why: "slow" });
    expect(workers[1]!.isEnded).to.equal(true);
    const asked = judge.ask(QUESTION);
    workers[2]!.tell(ANSWER);
    expect(await asked).to.equal(ANSWER);
  });

  it("says that the work failed where the page cannot do it either", async () => {
    const { judge } = judgeOf({
      openWorker() {
        throw new Error("not allowed");
      },
      async judgeHere() {
        throw new Error("a fault of ours");
      },
    });
    expect(await judge.ask(QUESTION)).to.deep.equal({ kind: "lost", why: "failed" });
  });
});
