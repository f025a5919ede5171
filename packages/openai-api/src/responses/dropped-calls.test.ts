import type { StreamChunk } from "@troupe/core";
import { expect, it } from "vitest";
import type { PartEvent } from "../run/part-events.ts";
import { PartUsage } from "../run/part-usage.ts";
import { newResponse, noEcho } from "./response-object.ts";
import { ResponseWriter } from "./response-writer.ts";

const chunk = (given: object, step: string) =>
  ({ type: "chunk", id: "", chunk: given as StreamChunk, step }) as PartEvent;
const start = (id: string, step: string) => chunk({ type: "tool_call_start", toolCall: { id, name: id } }, step);
const result = (id: string) => chunk({ type: "tool_result", toolCallId: id, toolName: id, result: `of ${id}` }, "t");

/** Writes the calls of steps, the end of one of the steps, and the results of the calls that are left. */
function namesAfterReset(calls: readonly [id: string, step: string][], dropped: string): unknown[] {
  const facts = {
    runId: "r",
    prefix: "p",
    held: new Set<string>(),
    clientTools: new Set<string>(),
    used: new PartUsage(),
  };
  const response = newResponse({ id: "resp_1", model: "helper", createdAt: 5000 }, noEcho);
  const writer = new ResponseWriter(response, facts, () => {});
  writer.begin();
  for (const [id, step] of calls) writer.take(start(id, step));
  writer.take({ type: "reset", step: dropped } as PartEvent);
  for (const [id, step] of calls) if (step !== dropped) writer.take(result(id));
  writer.finish(undefined);
  return response.output.map((item) => [(item as { name?: unknown }).name, (item as { output?: unknown }).output]);
}

it.each<[string, [string, string][]]>([
  [
    "the first",
    [
      ["x", "s2"],
      ["a", "s1"],
    ],
  ],
  [
    "the last",
    [
      ["a", "s1"],
      ["x", "s2"],
    ],
  ],
  [
    "between others",
    [
      ["a", "s1"],
      ["x", "s2"],
      ["b", "s1"],
    ],
  ],
  [
    "several",
    [
      ["a", "s1"],
      ["x", "s2"],
      ["b", "s1"],
      ["y", "s2"],
      ["z", "s2"],
    ],
  ],
])("open calls of a step that is repeated are dropped, and no others: %s", (_place, calls) => {
  const left = calls.filter(([, step]) => step === "s1").map(([id]) => [id, `of ${id}`]);

  expect(namesAfterReset(calls, "s2")).toEqual(left);
});
