import { expect, it } from "vitest";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { toolResultChunk } from "./tool-result-chunk.ts";

const facts = { toolCallId: "c1", toolName: "look", durationMs: 7 };
const result: ToolCallResult["result"] = [{ type: "text", text: "rain" }];
const artifacts = [{ type: "chart", data: { bars: [1] } }];

it.each<[what: string, more: Partial<ToolCallResult>, shown: object]>([
  ["a result", { result }, { result }],
  ["a result without text", { result: "" }, { result: "" }],
  ["a result with artifacts", { result, artifacts }, { result, artifacts }],
  [
    "what clients are told of a failure",
    { result: "no key k-1", error: "It failed." },
    { result: "It failed.", error: "It failed." },
  ],
  ["an empty failure", { result: "no key k-1", error: "" }, { result: "", error: "" }],
])("has %s, and not the arguments", (_, more, shown) => {
  const chunk = toolResultChunk({ ...facts, args: { at: "Oslo" }, result: "", ...more });

  expect(chunk).toStrictEqual({ type: "tool_result", ...facts, ...shown });
});

it("toolResultChunk is its reader's to change", () => {
  const chunk = toolResultChunk({ ...facts, args: {}, result, artifacts });

  expect(chunk.result).not.toBe(result);
  expect((chunk.result as object[])[0]).not.toBe((result as object[])[0]);
  expect(chunk.artifacts?.[0]?.data).not.toBe(artifacts[0]?.data);
});
