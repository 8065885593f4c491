import { expect } from "chai";
import { z } from "zod";
import { accept, PROBLEMS, Problem, toProblem } from "../../../api/http/problems.ts";
import { UpstreamUnavailable } from "../../../chain/chainErrors.ts";
import { DatabaseOverloaded, DatabaseUnavailable } from "../../../database/errors.ts";
import PROMISED from "./problemStatuses.json" with { type: "json" };

describe("problems", () => {
  it("problems have the status that the service promises for each code", () => {
    const statuses = Object.entries(PROBLEMS).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).to.deep.equal(PROMISED);
  });

  it("problems carry members beyond the common ones, errors and headers", () => {
    const problem = new Problem("input_required", "send it", {
      members: { schema: { type: "object" }, example: { a: 1 } },
      errors: [{ path: "a.0.b", message: "no" }],
      headers: { Allow: "GET" },
      retryAfterSeconds: 1.2,
    });
    expect(problem.body("r1")).to.deep.equal({
      type: "urn:assay:problem:input_required",
      title: "Input is required",
      status: 400,
      detail: "send it",
      code: "input_required",
      requestId: "r1",
      errors: [{ path: "a.0.b", message: "no" }],
      schema: { type: "object" },
      example: { a: 1 },
    });
    expect(problem.headers).to.deep.equal({ "Retry-After": "2", Allow: "GET" });
  });

  it("problems are made of a schema's refusal, field by field, in bounds", () => {
    const schema = z.strictObject({ intent: z.strictObject({ amounts: z.array(z.string()) }) });
    const { error } = schema.safeParse({ intent: { amounts: ["1", 2] }, ["x".repeat(5_000)]: 1 });
    const problem = toProblem(error);
    expect(problem.code).to.equal("invalid_request");
    expect(problem.errors?.map(({ path }) => path)).to.deep.equal(["intent.amounts.1", ""]);
    const many = z.array(z.string()).safeParse(Array(1_000).fill(1));
    for (const each of [problem, toProblem(many.error)])
      expect(JSON.stringify(each.body("r")).length).to.be.lessThan(4_000);
  });

  it("problems say what is wrong with a field in plain words", () => {
    const schema = z.strictObject({
      missing: z.string(),
      text: z.string(),
      whole: z.int(),
      list: z.array(z.string()).max(1),
      empty: z.string().min(1),
      high: z.number().max(10),
      above: z.number().positive(),
      choice: z.enum(["a", "b"]),
      own: z.string("must be a name"),
    });
    const given = {
      text: 1,
      whole: 0.5,
      list: ["", ""],
      empty: "",
      high: 11,
      above: 0,
      choice: "c",
      own: 1,
      more: 1,
    };
    expect(() => accept(schema, given))
      .to.throw(Problem)
      .with.property("errors")
      .that.has.deep.members([
        { path: "missing", message: "is missing" },
        { path: "text", message: "must be a string" },
        { path: "whole", message: "must be a whole number" },
        { path: "list", message: "must have at most 1 item" },
        { path: "empty", message: "must have at least 1 character" },
        { path: "high", message: "must be at most 10" },
        { path: "above", message: "must be more than 0" },
        { path: "choice", message: "must be one of a, b" },
        { path: "own", message: "must be a name" },
        { path: "", message: "has members that are not known: more" },
      ]);
  });

  it("problems say when to come back while the database or an upstream is away, and not why", () => {
    for (const [fault, code, seconds] of [
      [new DatabaseUnavailable(new Error("geheim")), "unavailable", "5"],
      [new DatabaseOverloaded(new Error("geheim")), "overloaded", "2"],
      [new UpstreamUnavailable("geheim", { retryAfterSeconds: 7 }), "upstream_unavailable", "7"],
    ] as const) {
      const problem = toProblem(fault);
      expect([problem.code, problem.status, problem.headers["Retry-After"]]).to.deep.equal([
        code,
        503,
        seconds,
      ]);
      expect(JSON.stringify(problem.body("r"))).to.not.contain("geheim");
    }
  });

  it("problems tell nothing of what is not known", () => {
    const errors = [new Error("geheim"), new TypeError("geheim")];
    for (const thrown of [...errors, "geheim", null, undefined, { status: 400 }]) {
      const problem = toProblem(thrown);
      expect([problem.code, problem.status]).to.deep.equal(["internal", 500]);
      expect(JSON.stringify(problem.body("r"))).to.not.contain("geheim");
    }
  });
});
