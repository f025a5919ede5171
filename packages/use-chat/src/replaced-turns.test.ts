import type { StoredTurn } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { Chat, SentMessage } from "./request/read-chat.ts";
import { firstReplaced } from "./replaced-turns.ts";

const turn = (seq: number, input = `Question ${seq}`): StoredTurn => ({ seq, runId: `r${seq}`, input }) as StoredTurn;
const turns = [turn(3), turn(4), turn(7)];

const user = (said: string): SentMessage => ({ id: "u", role: "user", parts: [{ type: "text", text: said }] });
const answer = (id: string): SentMessage => ({ id, role: "assistant", parts: [] });
const chatOf = (more: Partial<Chat>): Chat => ({
  chatId: "c",
  isRegenerated: false,
  isEdited: true,
  messageId: undefined,
  before: undefined,
  last: user("New"),
  userId: undefined,
  apiKey: undefined,
  said: "",
  ...more,
});

describe("firstReplaced", () => {
  it.each<[string, Partial<Chat>, number | undefined]>([
    ["all turns where the first message is edited", { before: [] }, 3],
    ["all turns where only questions stand before", { before: [user("a"), user("b")] }, 3],
    ["the turns behind the first answer", { before: [user("a"), answer("r3")] }, 4],
    ["the last turn behind the last answer but one", { before: [answer("r3"), user("b"), answer("r4")] }, 7],
    ["none behind the last answer", { before: [answer("r3"), answer("r4"), answer("r7")] }, undefined],
    ["the turns behind the last answer that is known", { before: [answer("r4"), answer("x")] }, 7],
    ["the turn whose answer is named", { messageId: "r4" }, 4],
    ["the first turn where it is named", { messageId: "r3" }, 3],
    ["the turns behind the kept ones, whatever is named", { before: [answer("r3")], messageId: "r7" }, 4],
    ["the turn that is named where no kept one is known", { before: [answer("x")], messageId: "r4" }, 4],
    ["the last turn of the same text", { before: [answer("x")], last: user("Question 7") }, 7],
    ["the last turn of the same text of a message alone", { messageId: "x", last: user("Question 7") }, 7],
    ["no turn where another answer is regenerated", { isRegenerated: true, messageId: "x" }, undefined],
  ])("is %s", (_, chat, seq) => {
    expect(firstReplaced(turns, chatOf(chat))).toBe(seq);
  });

  it("is none in a session without turns", () => {
    for (const chat of [{ before: [] }, { before: [answer("r3")] }, { messageId: "r3" }, {}]) {
      expect(firstReplaced([], chatOf(chat))).toBeUndefined();
    }
  });

  it.each<[string, Partial<Chat>]>([
    ["of unknown ids", { before: [answer("x")] }],
    ["of an earlier turn of the same text", { before: [answer("x")], last: user("Question 4") }],
    ["alone, of an unknown id", { messageId: "x" }],
  ])("refuses an edited message %s", (_, chat) => {
    expect(() => firstReplaced(turns, chatOf(chat))).toThrow(expect.objectContaining({ code: "conflict" }) as Error);
  });
});
