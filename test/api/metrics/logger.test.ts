import { expect } from "chai";
import { createLogger } from "../../../api/metrics/logger.ts";

describe("the log", () => {
  const logged = (details: object): string => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    createLogger({ level: "info", destination }).info(details, "something");
    return lines.join("");
  };

  it("the log tells an error's kind, code, words and place, and those of its causes", () => {
    const cause = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED" });
    const line = logged({ err: new Error("no answer", { cause }) });
    const { err } = JSON.parse(line);
    expect(err).to.include({ type: "Error", message: "no answer" });
    expect(err.stack).to.include("logger.test.ts");
    expect(err.cause).to.include({ type: "TypeError", code: "ECONNREFUSED", message: "refused" });
  });

  it("the log keeps a secret in an address, or in what hangs on an error, to itself", () => {
    const cause = Object.assign(new Error("POST https://bsc.example.org/v1/s3cret?key=s3cret failed"), {
      info: { requestUrl: "https://bsc.example.org/v1/s3cret", payload: { params: ["s3cret"] } },
      request: { headers: { authorization: "Bearer s3cret" } },
    });
    const err = new Error("postgres://assay:s3cret@db.example.org/assay is away", { cause });
    const line = logged({ err });
    expect(line).not.to.include("s3cret");
    expect(line).to.include("https://bsc.example.org").and.to.include("postgres://db.example.org");
  });

  it("the log leaves out the headers that open doors", () => {
    const line = logged({
      headers: { "x-api-key": "s3cret", authorization: "s3cret", "payment-signature": "s3cret" },
    });
    expect(line).not.to.include("s3cret");
  });

  it("the log does not end in a loop of causes", () => {
    const err = new Error("one");
    err.cause = err;
    expect(JSON.parse(logged({ err })).err.message).to.equal("one");
  });
});
