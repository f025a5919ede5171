import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { repairHistory } from "./repair-history.ts";

const user: ChatMessage = { role: "user", content: "go" };
const system: ChatMessage = { role: "system", content: "be kind" };
const said: ChatMessage = { role: "assistant", content: "Hm." };
const call: ChatMessage = {
  role: "assistant",
  content: null,
  toolCalls: [{ id: "call_1", name: "look", arguments: {} }],
};
const result = (content: string): ChatMessage => ({ role: "tool", toolCallId: "call_1", content });

/** The contents of the results in a repaired history, by the ids of their calls. */
function resultsIn(...messages: readonly ChatMessage[]): [id: string | undefined, content: unknown][] {
  const tools = repairHistory(messages).filter(({ role }) => role === "tool");
  return tools.map(({ toolCallId, content }) => [toolCallId, content]);
}

/** Models that number the calls of each answer give the first call of each answer one id. */
describe("a call without a result, with the id of a later call", () => {
  it.each<[string, ChatMessage[]]>([
    ["in the next answer", []],
    ["after another answer", [said]],
    ["after a question", [user]],
    ["after an answer and a question", [said, user]],
    ["after instructions", [system]],
  ])("gets no result of that call %s", (_place, between) => {
    expect(resultsIn(user, call, ...between, call, result("later"))).toEqual([
      ["call_1", "interrupted"],
      ["call_1_2", "later"],
    ]);
  });

  it("gets its own result past later instructions", () => {
    expect(resultsIn(user, call, system, result("own"), call, result("later"))).toEqual([
      ["call_1", "own"],
      ["call_1_2", "later"],
    ]);
  });

  it("keeps apart three answers of which the second alone was answered", () => {
    expect(resultsIn(user, call, call, result("second"), call)).toEqual([
      ["call_1", "interrupted"],
      ["call_1_2", "second"],
      ["call_1_3", "interrupted"],
    ]);
  });
});
