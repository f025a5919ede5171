import { describe, expect, it } from "vitest";
import { readStepPath, stepOfWait } from "./step-path.ts";

/** Writes the nodes of a path: the kind, the name, the numbers and the key of each. */
function shown(key: string): string[] {
  const { parts, note } = readStepPath(key);
  const written = parts.map(
    ({ kind, name, round = "-", index = "-", key: of }) => `${kind} ${name}|${round}|${index}|${of}`,
  );
  return note === undefined ? written : [...written, `note ${note}`];
}

describe("the key of a journal step", () => {
  it.each<[string, string[]]>([
    ["m/0", ["model Model call 1|0|-|m/0"]],
    ["m/12", ["model Model call 13|12|-|m/12"]],
    ["m/x", ["other m/x|-|-|m/x"]],
    ["m", ["other m|-|-|m"]],
    ["t/1/2", ["tool |1|2|t/1/2"]],
    ["t/1", ["other t/1|-|-|t/1"]],
    ["t/1/x", ["other t/1/x|-|-|t/1/x"]],
    ["t/1234567890/0", ["other t/1234567890/0|-|-|t/1234567890/0"]],
    ["t/123456789/0", ["tool |123456789|0|t/123456789/0"]],
    ["t/0/0/1", ["tool |0|0|t/0/0"]],
    ["t/0/0/1/2", ["tool |0|0|t/0/0"]],
    ["1", ["other 1|-|-|1"]],
    ["m/0/1", ["model Model call 1|0|-|m/0", "other 1|-|-|m/0/1"]],
    ["t/0/1/run/m/0", ["member |0|1|t/0/1", "model Model call 1|0|-|t/0/1/m/0"]],
    ["run/m/0", ["member |-|-|run", "model Model call 1|0|-|run/m/0"]],
    ["route/m/0", ["model Model call 1|0|-|m/0"]],
    ["w/a%2Fb", ["step a/b|-|-|w/a%2Fb"]],
    ["w/a b", ["step a b|-|-|w/a%20b"]],
    ["w/%", ["step %|-|-|w/%25"]],
    ["w", ["other w|-|-|w"]],
    ["w/a/end", ["step a|-|-|w/a", "note end"]],
    ["w/a/2", ["step a|-|-|w/a", "part Part 3|-|2|w/a/2"]],
    ["w/a/2/end", ["step a|-|-|w/a", "part Part 3|-|2|w/a/2", "note end"]],
    ["w/a/0/w/b/1", ["step a|-|-|w/a", "part Part 1|-|0|w/a/0", "step b|-|-|w/a/0/w/b", "part Part 2|-|1|w/a/0/w/b/1"]],
    ["w/a/0/r1", ["step a|-|-|w/a", "part Part 1|-|0|w/a/0", "retry Attempt 2|-|-|w/a/0/r1"]],
    ["w/a/0/1", ["step a|-|-|w/a", "part Part 1|-|0|w/a/0", "other 1|-|-|w/a/0/1"]],
    ["m/0/end", ["model Model call 1|0|-|m/0", "other end|-|-|m/0/end"]],
    ["w/a/r0", ["step a|-|-|w/a", "retry Attempt 1|-|-|w/a/r0"]],
    ["w/a/r12/m/0", ["step a|-|-|w/a", "retry Attempt 13|-|-|w/a/r12", "model Model call 1|0|-|w/a/r12/m/0"]],
    ["m/0/r1", ["model Model call 1|0|-|m/0", "other r1|-|-|m/0/r1"]],
    ["c3/s/turn", ["agent |-|3|c3", "note turn"]],
    ["c3/s/other", ["agent |-|3|c3", "other s/other|-|-|c3/s/other"]],
    ["c/x", ["other c/x|-|-|c/x"]],
    ["in", ["input Input|-|-|in"]],
    ["g/abc", ["guardrail Output guardrails|-|-|g/abc"]],
    ["g", ["guardrail Output guardrails|-|-|g/"]],
    ["m/0/again", ["model Model call 1|0|-|m/0", "note again"]],
    ["toString/1", ["other toString/1|-|-|toString/1"]],
    ["", ["other |-|-|"]],
  ])("%j is the path %j", (key, path) => {
    expect(shown(key)).toEqual(path);
  });

  it.each([39, 40, 41, 60])("the key of a journal step of %i parts has at most 40 nodes", (count) => {
    const key = Array.from({ length: count }, (_, index) => `c${index}`).join("/");

    expect(readStepPath(key).parts).toHaveLength(Math.min(count, 40));
  });
});

it.each([
  ["t.0.0.approval", "approval", "t/0/0/approval"],
  ["t.0.0.input", "input", "t/0/0"],
  ["t.0.0.input", "doubt", "t/0/0/input"],
  ["upgrade", "upgrade", "upgrade"],
  ["w.a.t.1.2.doubt", "doubt", "w/a/t/1/2"],
])("the question %s of the kind %s belongs to %s", (waitId, kind, key) => {
  expect(stepOfWait(waitId, kind)).toBe(key);
});
