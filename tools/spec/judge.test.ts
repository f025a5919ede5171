import { describe, expect, it } from "vitest";
import { rules as realRules } from "../../tests/spec/rules.ts";
import type { Rule } from "../../tests/spec/rule.ts";
import { judge } from "./judge.ts";

const file = "a.test.ts";
const rule: Rule = { id: "a.b", text: "it is so", owner: "@troupe/core", test: file };
const title = "is so [a.b]";
const citation = { id: "a.b", file, title, line: 7, isEmpty: false };
const sound = {
  rules: [rule],
  citations: [citation],
  results: [{ file, title, status: "passed" }],
  readPage: () => undefined,
  hasServices: true,
};

describe("judge", () => {
  it("finds a rule proven whose named test cites it and passed", () => {
    expect(judge(sound)).toEqual({ proven: [rule], documented: [], open: [], faults: [] });
  });

  it("finds a rule proven whose citation stands in a table of cases that the named test runs", () => {
    expect(judge({ ...sound, citations: [{ ...citation, file: "conformance/cases.ts" }] }).faults).toEqual([]);
  });

  it("leaves a rule open that names nothing", () => {
    const open: Rule = { id: "c.d", text: "it will be so", owner: "@troupe/http" };

    expect(judge({ ...sound, rules: [rule, open] })).toMatchObject({ open: [open], faults: [] });
  });

  it("wants the documented place to exist", () => {
    const onHost: Rule = { id: "e.f", text: "do so", owner: "the host", documented: "SECURITY.md#rate-limits" };
    const faultsWith = (page: string | undefined) =>
      judge({ ...sound, rules: [rule, onHost], readPage: () => page }).faults;

    expect(faultsWith("# Security\n\n### Rate limits\n")).toEqual([]);
    expect(faultsWith("# Security\n")).toEqual([expect.stringContaining("no such heading")]);
    expect(faultsWith(undefined)).toEqual([expect.stringContaining("does not exist")]);
  });

  it.each([
    ["a missing test", { citations: [], results: [] }, "no test cites it"],
    ["a test that did not run", { results: [] }, "did not run"],
    ["a skipped test", { results: [{ file, title, status: "skipped" }] }, "is skipped"],
    ["a red test", { results: [{ file, title, status: "failed" }] }, "is failed"],
    ["an empty test", { citations: [{ ...citation, isEmpty: true }] }, "asserts nothing"],
    ["a citation of no rule", { citations: [citation, { ...citation, id: "x.y" }] }, "is no rule"],
    ["a proof the rule does not name", { rules: [{ id: "a.b", text: "", owner: "" }] }, "names no test"],
    ["a rule listed twice", { rules: [rule, rule] }, "listed twice"],
  ])("reports %s", (_what, change, fault) => {
    expect(judge({ ...sound, ...change }).faults).toContainEqual(expect.stringContaining(fault));
  });

  it("judges a proof that needs a server only where there are servers", () => {
    const needy = { ...rule, test: "a.integration.test.ts" };
    const citations = [{ ...citation, file: needy.test }];
    const faultsWith = (hasServices: boolean) =>
      judge({ ...sound, rules: [needy], citations, results: [], hasServices }).faults;

    expect(faultsWith(false)).toEqual([]);
    expect(faultsWith(true)).toEqual([expect.stringContaining("did not run")]);
  });

  it("reports one red case among several of one title", () => {
    const results = [
      { file, title: `one ${title}`, status: "passed" },
      { file, title: `two ${title}`, status: "failed" },
    ];

    expect(judge({ ...sound, results }).faults).toHaveLength(1);
  });
});

describe("the rules", () => {
  it("have ids that a title can cite", () => {
    for (const { id } of realRules) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$/);
  });
});
