import { describe, expect, it } from "vitest";
import { documentedRules, rulesOf } from "../../tests/spec/rule.ts";
import { rules as realRules } from "../../tests/spec/rules.ts";
import type { Citation } from "./citations.ts";
import { filesToRun, judge, provenByServers } from "./judge.ts";

const file = "a.test.ts";
const rules = rulesOf("Section", { "a.b": "it is so" });
const title = "is so [a.b]";
const citation: Citation = { id: "a.b", file, line: 7, asserts: true };
const sound = {
  rules,
  citations: [citation],
  results: [{ file, title, status: "passed" }],
  readPage: () => undefined,
  hasServices: true,
};

describe("judge", () => {
  it("finds a rule proven when a test that cites it passed", () => {
    expect(judge(sound)).toEqual({ proven: rules, documented: [], open: [], faults: [] });
  });

  it("needs only one of the files that cite a rule to have run", () => {
    const citations = [citation, { ...citation, file: "b.packed.test.ts" }];

    expect(judge({ ...sound, citations }).faults).toEqual([]);
  });

  it("takes a case of a suite for proven where an implementation passed it, and not where it declares a gap", () => {
    const citations = [{ ...citation, file: "x-cases.ts", isCase: true as const }];
    const faultsOf = (shown: string) =>
      judge({ ...sound, citations, results: [{ file, title: shown, status: "passed" }] }).faults;

    expect(faultsOf(title)).toEqual([]);
    expect(faultsOf(`${title} (known gap: none)`)).toEqual([expect.stringContaining("no test that cites it ran")]);
  });

  it("expects the page of a documented rule to exist", () => {
    const host = documentedRules("Section", { "e.f": { text: "do so", page: "SECURITY.md#rate-limits" } });
    const faultsWith = (page: string | undefined) =>
      judge({ ...sound, rules: [...rules, ...host], readPage: () => page }).faults;

    expect(faultsWith("# Security\n\n### Rate limits\n")).toEqual([]);
    expect(faultsWith("# Security\n")).toEqual([expect.stringContaining("no such heading")]);
    expect(faultsWith(undefined)).toEqual([expect.stringContaining("does not exist")]);
  });

  it.each([
    ["a rule without a test", { citations: [], results: [] }, "proven by no test"],
    ["a test that did not run", { results: [] }, "no test that cites it ran"],
    ["a skipped test", { results: [{ file, title, status: "skipped" }] }, "is skipped"],
    ["a red test", { results: [{ file, title, status: "failed" }] }, "is failed"],
    ["a test without an assertion", { citations: [{ ...citation, asserts: false }] }, "asserts nothing at run time"],
    ["a citation of no rule", { citations: [citation, { ...citation, id: "x.y" }] }, "is no rule"],
    ["a rule listed twice", { rules: [...rules, ...rules] }, "listed twice"],
  ])("reports %s", (_what, change, fault) => {
    expect(judge({ ...sound, ...change }).faults).toContainEqual(expect.stringContaining(fault));
  });

  it("judges a proof that needs a server only when the tests with servers ran", () => {
    const citations = [{ ...citation, file: "a.integration.test.ts" }];
    const faultsWith = (hasServices: boolean) => judge({ ...sound, citations, results: [], hasServices }).faults;

    expect(faultsWith(false)).toEqual([]);
    expect(faultsWith(true)).toEqual([expect.stringContaining("no test that cites it ran")]);
  });

  it("reports one red case among several with one title", () => {
    const results = [
      { file, title: `one ${title}`, status: "passed" },
      { file, title: `two ${title}`, status: "failed" },
    ];

    expect(judge({ ...sound, results }).faults).toHaveLength(1);
  });
});

describe("the tests beside those that ran", () => {
  const slow = { ...citation, id: "c.d", file: "c.slow.test.ts" };
  const served = { ...citation, id: "e.f", file: "e.integration.test.ts" };
  const suite = { ...citation, id: "g.h", file: "g-cases.ts", isCase: true as const };

  it("are those of rules without a result, but not those that need servers", () => {
    expect(filesToRun([citation, slow, served, suite], sound.results)).toEqual(["c.slow.test.ts"]);
    expect(filesToRun([citation, slow, served, suite], [])).toEqual([file, "c.slow.test.ts"]);
  });

  it("are missing for rules that servers alone prove", () => {
    const all = [...rules, ...rulesOf("Section", { "e.f": "it is served", "x.y": "it is open" })];

    expect(provenByServers(all, [citation, served]).map(({ id }) => id)).toEqual(["e.f"]);
    expect(provenByServers(all, [citation, served, { ...served, file }])).toEqual([]);
  });
});

describe("the rules", () => {
  it("have ids that a title can cite", () => {
    for (const { id } of realRules) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9-]+$/);
  });
});
