import type { Json, RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { questionTool, readAnswered, readQuestion, takesMessage, toAsked } from "./question.ts";

const parts = [{ kind: "text", text: "Which size?" }] as const;
const two = [...parts, { kind: "text", text: "A3 or A2?" }] as const;
const wait = (about: unknown, kind: RunWait["kind"] = "input"): RunWait => ({ id: "w", kind, about: about as Json });

describe("the tool by which a model asks", () => {
  it("takes a question, and has a name and a description of its own", () => {
    const question = { type: "string", description: "The question, in the user's language." };
    expect(questionTool()).toMatchObject({
      name: "ask_user",
      description: "Asks the user a question and returns the answer. Call it when you cannot go on without.",
      parameters: { type: "object", properties: { question }, required: ["question"] },
    });
    expect(questionTool()).not.toHaveProperty("execute");
    expect(questionTool({ name: "ask", description: "Asks." })).toMatchObject({ name: "ask", description: "Asks." });
  });
});

describe("the question of a wait", () => {
  it.each<[string, RunWait, unknown]>([
    ["parts of an agent", wait(toAsked(two)), two],
    [
      "the argument of a tool",
      wait({ toolName: "ask_user", args: { question: "Which?" } }),
      [{ kind: "text", text: "Which?" }],
    ],
    [
      "parts that are none",
      wait({ takesMessage: true, parts: [], args: { question: "Which?" } }),
      [{ kind: "text", text: "Which?" }],
    ],
    ["parts of a tool", wait({ takesMessage: "true", parts }), undefined],
    ["a blank argument", wait({ args: { question: " \n" } }), undefined],
    ["another argument", wait({ args: { question: 7 } }), undefined],
    ["no arguments", wait({ toolName: "locate" }), undefined],
    ["arguments in a list", wait({ args: ["question"] }), undefined],
    ["no facts", wait(null), undefined],
    ["a list of facts", wait([]), undefined],
    ["an approval", wait({ args: { question: "Which?" } }, "approval"), undefined],
    ["the approval of parts", wait(toAsked(parts), "approval"), undefined],
  ])("is read: %s", (_what, given, question) => {
    expect(readQuestion(given)).toEqual(question);
  });

  it("is kept with its text, for readers of other protocols", () => {
    expect(toAsked(two)).toEqual({ question: "Which size?\nA3 or A2?", parts: two, takesMessage: true });
  });

  it.each([
    [toAsked(parts), true],
    [{ takesMessage: true }, true],
    [{ takesMessage: 1 }, false],
    [{}, false],
    [null, false],
    [[], false],
  ])("the question of a wait of %j takes a whole message: %j", (about, expected) => {
    expect(takesMessage(wait(about))).toBe(expected);
  });
});

describe("the answer to a question", () => {
  const ids = { taskId: "t", contextId: "c" };
  const data = (value: unknown) => [{ kind: "data", data: value }];
  it.each<[string, unknown, object]>([
    [
      "a message",
      { result: { messageId: "m", role: "agent", parts, metadata: { a: 1 }, taskId: "other", contextId: "other" } },
      { messageId: "m", parts, metadata: { a: 1 } },
    ],
    ["a text", { result: "A3" }, { parts: [{ kind: "text", text: "A3" }] }],
    ["an empty text", { result: "", error: "no" }, { parts: [{ kind: "text", text: "" }] }],
    ["an error", { error: "nobody knows" }, { parts: [{ kind: "text", text: "nobody knows" }] }],
    ["nothing", {}, { parts: [{ kind: "text", text: "" }] }],
    ["data", { result: { size: 3 } }, { parts: data({ size: 3 }) }],
    ["data that is false", { result: false }, { parts: data(false) }],
    ["a list", { result: parts }, { parts: data(parts) }],
    ["parts that are none", { result: { parts: [] } }, { parts: data({ parts: [] }) }],
  ])("is a message of the user in the task: %s", (_what, answer, message) => {
    expect(readAnswered(answer as Json, ids)).toEqual({ messageId: "", role: "user", ...message, ...ids });
  });
});
