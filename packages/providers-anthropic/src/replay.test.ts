import type { ModelMessage } from "@troupe/core/provider";
import { expect, it } from "vitest";
import { replayOf } from "./replay.ts";

const model = { providerId: "anthropic", modelId: "claude" };

function answer(id: unknown): ModelMessage {
  const items = [{ type: "tool_use", id, name: "look", input: {} }];
  const toolCalls = [{ id: "a", name: "look", arguments: {} }];
  return { role: "assistant", content: null, toolCalls, vendorState: { ...model, items } };
}

it("an answer is sent back as it came if its calls are the message's, whatever the vendor took for an id", () => {
  expect(replayOf(answer("a"), model)).toEqual([{ type: "tool_use", id: "a", name: "look", input: {} }]);
  expect(replayOf(answer({ toString: null }), model)).toBeUndefined();
  expect(replayOf(answer("b"), model)).toBeUndefined();
});
