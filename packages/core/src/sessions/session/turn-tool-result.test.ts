import { describe, expect, it } from "vitest";
import { isTurnToolResults, toTurnToolResults } from "./turn-tool-result.ts";

const call = { toolCallId: "c", toolName: "t", result: "r", durationMs: 1 };
const artifactOf = (length: number) => {
  const artifact = { type: "é", data: "" };
  return { ...artifact, data: "x".repeat(length - JSON.stringify(artifact).length) };
};
const most = 1_048_576;

describe("what a turn stores of its tool calls", () => {
  it("is nothing of a call that succeeded and made nothing", () => {
    expect(toTurnToolResults([call as never, { ...call, artifacts: [] } as never])).toEqual([]);
  });

  it("is the error and the artifacts of each other call", () => {
    const artifacts = [artifactOf(50)];
    const results = [{ ...call, error: "" }, { ...call, artifacts }, call, { ...call, error: "No.", artifacts }];
    expect(toTurnToolResults(results as never)).toStrictEqual([
      { toolCallId: "c", toolName: "t", error: "" },
      { toolCallId: "c", toolName: "t", artifacts },
      { toolCallId: "c", toolName: "t", error: "No.", artifacts },
    ]);
  });

  it("has a million characters of artifacts in all: those that do not fit are counted, and smaller ones after them stay", () => {
    const [half, more, small] = [artifactOf(most / 2), artifactOf(most / 2 + 1), artifactOf(60)];
    const results = [
      { ...call, artifacts: [half, more, small] },
      { ...call, artifacts: [artifactOf(most / 2 - 60)] },
      { ...call, artifacts: [small] },
    ];
    expect(toTurnToolResults(results as never).map(({ artifacts, leftOut }) => [artifacts?.length, leftOut])).toEqual([
      [2, 1],
      [1, undefined],
      [undefined, 1],
    ]);
  });

  it("leaves out what is no JSON", () => {
    const artifacts = [{ type: "é", data: 1n }];
    expect(toTurnToolResults([{ ...call, artifacts }] as never)).toStrictEqual([
      { toolCallId: "c", toolName: "t", leftOut: 1 },
    ]);
  });

  it("says of the calls that were left unfinished that they were, and of no other", () => {
    const toolCalls = ["a", "b"].map((id) => ({ id, name: "t", arguments: {} }));
    const unfinished = { toolCalls, results: [{ ...call, toolCallId: "a" }] };
    expect(toTurnToolResults([{ ...call, toolCallId: "a" }] as never, unfinished as never)).toStrictEqual([
      { toolCallId: "b", toolName: "t", error: "interrupted" },
    ]);
  });
});

it.each([
  [undefined],
  [[]],
  [[{ toolCallId: "c", toolName: "t" }]],
  [[{ toolCallId: "c", toolName: "t", error: "", artifacts: [{ type: "x", data: null }], leftOut: 1 }]],
])("stored tool results have this form: %j", (value) => {
  expect(isTurnToolResults(value)).toBe(true);
});

it.each([
  [null],
  [{}],
  [[null]],
  [[{ toolCallId: 1, toolName: "t" }]],
  [[{ toolCallId: "c" }]],
  [[{ toolCallId: "c", toolName: "t", error: null }]],
  [[{ toolCallId: "c", toolName: "t", artifacts: [{ type: "x" }] }]],
  [[{ toolCallId: "c", toolName: "t", artifacts: [{ data: 1 }] }]],
  [[{ toolCallId: "c", toolName: "t" }, { toolCallId: "c" }]],
])("stored tool results have no such form: %j", (value) => {
  expect(isTurnToolResults(value)).toBe(false);
});
