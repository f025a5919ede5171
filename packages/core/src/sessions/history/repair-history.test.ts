import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { repairHistory } from "./repair-history.ts";

const user: ChatMessage = { role: "user", content: "go" };
const answer: ChatMessage = { role: "assistant", content: "done" };

describe("repairHistory", () => {
  it("gives a call without a result the result interrupted", () => {
    const asked = asks("a", "b");

    expect(repairHistory([user, asked, result("a"), user])).toEqual([
      user,
      asked,
      result("a"),
      { role: "tool", toolCallId: "b", content: "interrupted" },
      user,
    ]);
  });

  it("drops a result without its call, and one after the next message of user or assistant", () => {
    expect(repairHistory([user, result("x"), answer, user, asks("a"), result("a"), answer, result("a")])).toEqual([
      user,
      answer,
      user,
      asks("a"),
      result("a"),
      answer,
    ]);
  });

  it("takes no result from after the next user message", () => {
    const late = [user, asks("a"), user, result("a")];

    expect(repairHistory(late)).toEqual([user, asks("a"), result("a", "interrupted"), user]);
  });

  it("keeps one of two calls with the same id in one message, with the first result", () => {
    const first = result("a", "first");

    expect(repairHistory([user, asks("a", "a"), first, result("a", "second")])).toEqual([user, asks("a"), first]);
  });

  it("renames a later call whose id was used before, together with its result", () => {
    const history = [user, asks("a"), result("a"), answer, user, asks("a"), result("a", "later"), answer];

    expect(repairHistory(history).slice(5, 7)).toEqual([asks("a_2"), result("a_2", "later")]);
  });

  it("puts results in the order of their calls", () => {
    expect(repairHistory([user, asks("a", "b"), result("b"), result("a")]).slice(2)).toEqual([
      result("a"),
      result("b"),
    ]);
  });

  it("drops messages before the first user message, but not instructions", () => {
    const system: ChatMessage = { role: "system", content: "be kind" };

    expect(repairHistory([system, asks("a"), result("a"), answer, user, answer])).toEqual([system, user, answer]);
  });

  it("drops an empty answer", () => {
    expect(repairHistory([user, { role: "assistant", content: " " }, answer])).toEqual([user, answer]);
  });

  it("does not change the messages it is given", () => {
    const broken = [user, asks("a", "a"), { ...user, toolCalls: [] }];
    const copy = structuredClone(broken);

    repairHistory(broken);

    expect(broken).toEqual(copy);
  });

  it("keeps properties that a provider put on a message under a symbol", () => {
    const state = Symbol("state");
    const message = { ...asks("a"), toolCallId: "odd", [state]: 1 };

    expect(Reflect.get(repairHistory([user, message, result("a")])[1] ?? {}, state)).toBe(1);
  });
});

function asks(...ids: string[]): ChatMessage {
  return { role: "assistant", content: null, toolCalls: ids.map((id) => ({ id, name: "look", arguments: {} })) };
}

function result(toolCallId: string, content = "seen"): ChatMessage {
  return { role: "tool", toolCallId, content };
}
