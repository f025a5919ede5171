import type { RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { toAsked } from "../agent/question.ts";
import type { A2AMessage, A2APart } from "../wire/task.ts";
import { readAnswers, toQuestion } from "./questions.ts";

const text = (said: string): A2APart => ({ kind: "text", text: said });
const data = (value: unknown): A2APart => ({ kind: "data", data: value });
const image: A2APart = { kind: "bytes", base64: "AAAA", mediaType: "image/png" };

const approval: RunWait = { id: "w1", kind: "approval", about: { toolName: "pay", args: { euro: 7 } } };
const input: RunWait = { id: "w2", kind: "input", about: { toolName: "locate", args: {} } };
const doubt: RunWait = { id: "w3", kind: "doubt", about: { toolName: "pay", args: { euro: 7 } } };
const message: RunWait = { id: "w4", kind: "input", about: toAsked([text("Who?")]) };

const said = (...parts: readonly A2APart[]): A2AMessage => ({ messageId: "m", role: "user", parts });
const answers = (waits: readonly RunWait[], ...parts: readonly A2APart[]) => readAnswers(said(...parts), waits);
/** The answer to a wait of this one message. */
const answerTo = (wait: RunWait, ...parts: readonly A2APart[]) => answers([wait], ...parts)[0]?.answer;

const question: RunWait = { id: "w.ask.question", kind: "question", about: { question: "Which city?", step: "ask" } };
const event: RunWait = { id: "w.paid.event", kind: "event", about: { event: "paid", step: "paid" } };
const sleep: RunWait = { id: "w.nap.sleep", kind: "sleep", about: { step: "nap" }, until: 9e12 };

describe("the question of a workflow", () => {
  it("is asked in its own words, without the events and times that the run also waits for", () => {
    const { parts } = toQuestion({ runId: "r", sessionId: "s", waits: [event, question, sleep] } as RunView);

    expect(parts).toEqual([
      text("Which city?"),
      data({ waitId: "w.ask.question", kind: "question", about: { question: "Which city?", step: "ask" } }),
    ]);
  });

  it("is answered by text or data, which no event takes", () => {
    expect(answers([event, question], text("Tromsø"))).toEqual([
      { waitId: "w.ask.question", answer: { result: "Tromsø" } },
    ]);
    expect(answerTo(question, data({ city: "Oslo" }))).toEqual({ result: { city: "Oslo" } });
    expect(() => answers([event, sleep], text("Oslo"))).toThrow(/has none/);
  });
});

describe("the answers in a message", () => {
  it("go to the questions that their data names, and the rest to the first one that is left", () => {
    const waits = [approval, input, doubt];
    const second = data({ waitId: "w2", result: "here" });
    const yes = { waitId: "w1", answer: { approved: true, reason: "yes" } };

    expect(answers(waits, text("yes"))).toEqual([yes]);
    expect(answers(waits, text("yes"), second)).toEqual([{ waitId: "w2", answer: { result: "here" } }, yes]);
    expect(answers(waits, data({ waitId: "w1", approved: false }), text("here"))).toEqual([
      { waitId: "w1", answer: { approved: false } },
      { waitId: "w2", answer: { result: "here" } },
    ]);
    expect(answers(waits, data({ waitId: "w1", approved: true }), second, text("again"))).toEqual([
      { waitId: "w1", answer: { approved: true } },
      { waitId: "w2", answer: { result: "here" } },
      { waitId: "w3", answer: { choice: "again" } },
    ]);
  });

  it("are those of the data alone when every question has one", () => {
    expect(answers([approval], data({ waitId: "w1", approved: true }), text("Thanks."))).toEqual([
      { waitId: "w1", answer: { approved: true } },
    ]);
  });

  it("may name a question that the task does not ask: the run refuses that", () => {
    expect(answers([approval], data({ waitId: "other", approved: true }), text("no"))).toEqual([
      { waitId: "other", answer: { approved: true } },
      { waitId: "w1", answer: { approved: false, reason: "no" } },
    ]);
  });

  it.each([null, 7, ["w1"], { id: "w1" }])("must name the question by a string, and not by %j", (waitId) => {
    expect(() => answers([approval], data({ waitId, approved: true }))).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(/waitId must be a string/) }),
    );
  });

  it("must be there", () => {
    const none = expect.objectContaining({
      code: "invalid_request",
      message: expect.stringMatching(/has none/),
    }) as Error;

    expect(() => answers([], text("yes"))).toThrow(none);
    expect(() => answers([approval])).toThrow(none);
  });
});

describe("the answer to an approval", () => {
  it.each<[string, object]>([
    ["yes", { approved: true, reason: "yes" }],
    [" Yes.", { approved: true, reason: "Yes." }],
    ["OK!!", { approved: true, reason: "OK!!" }],
    ["okay", { approved: true, reason: "okay" }],
    ["y", { approved: true, reason: "y" }],
    ["approve", { approved: true, reason: "approve" }],
    ["Approved", { approved: true, reason: "Approved" }],
    ["confirm", { approved: true, reason: "confirm" }],
    ["confirmed", { approved: true, reason: "confirmed" }],
    ["no", { approved: false, reason: "no" }],
    ["yes?", { approved: false, reason: "yes?" }],
    ["yes, but not today", { approved: false, reason: "yes, but not today" }],
    ["not ok", { approved: false, reason: "not ok" }],
    ["constructor", { approved: false, reason: "constructor" }],
    ["  ", { approved: false }],
  ])("that says %j is %j", (reply, expected) => {
    expect(answerTo(approval, text(reply))).toEqual(expected);
  });

  it("is its data where there is some, whatever the text says", () => {
    expect(answerTo(approval, text("no"), data({ approved: true, args: { euro: 5 } }))).toEqual({
      approved: true,
      args: { euro: 5 },
    });
    expect(answerTo(approval, data(null))).toBeNull();
  });

  it("is one of all texts, a line each", () => {
    expect(answerTo(approval, text("no"), text("never"))).toEqual({ approved: false, reason: "no\nnever" });
  });
});

describe("the answer to a question for the result of a tool", () => {
  it.each<[string, A2APart[], unknown]>([
    ["text", [text("here")], { result: "here" }],
    ["texts", [text("here"), text("there")], { result: "here\nthere" }],
    ["an empty text", [text("")], { result: "" }],
    ["data", [data({ city: "Oslo" })], { result: { city: "Oslo" } }],
    ["data that is null", [data(null)], { result: null }],
    ["data that is an array", [data(["result"])], { result: ["result"] }],
    ["data that is false", [data(false)], { result: false }],
    ["a result in the service's own form", [data({ result: 7 })], { result: 7 }],
    ["an error in the service's own form", [data({ error: "nobody knows" })], { error: "nobody knows" }],
    ["data with a result among other fields", [data({ result: 7, unit: "m" })], { result: { result: 7, unit: "m" } }],
    ["an empty object", [data({})], { result: {} }],
    [
      "a text and data",
      [text("here"), data({ city: "Oslo" })],
      {
        result: [
          { type: "text", text: "here" },
          { type: "text", text: '{"city":"Oslo"}' },
        ],
      },
    ],
    ["a file", [image], { result: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }],
  ])("is the result: %s", (_title, parts, expected) => {
    expect(answerTo(input, ...parts)).toEqual(expected);
  });
});

describe("the answer to a doubt", () => {
  it.each([doubt, { ...doubt, kind: "release" } as unknown as RunWait])("is a choice, as text or as data", (wait) => {
    expect(answerTo(wait, text(" giveUp "))).toEqual({ choice: "giveUp" });
    expect(answerTo(wait, text("again"), data({ choice: "happened", result: 7 }))).toEqual({
      choice: "happened",
      result: 7,
    });
  });
});

describe("the answer to an agent that asked for a message", () => {
  it("is the message, without the ids by which it found its task", () => {
    const parts = [text("Ada"), image, data({ age: 36 })];
    const more = { metadata: { a: 1 }, extensions: ["x"], referenceTaskIds: ["t0"] };

    expect(readAnswers({ ...said(...parts), ...more, taskId: "t", contextId: "c" }, [message])).toEqual([
      { waitId: "w4", answer: { result: { messageId: "m", role: "user", parts, ...more } } },
    ]);
  });

  it("is what is left of the message when data answers another question", () => {
    expect(answers([message, approval], data({ waitId: "w1", approved: true }), text("Ada"))).toEqual([
      { waitId: "w1", answer: { approved: true } },
      { waitId: "w4", answer: { result: said(text("Ada")) } },
    ]);
  });
});

describe("the question of a task", () => {
  const view = (...waits: readonly RunWait[]) => ({ runId: "r", sessionId: "s", waits }) as unknown as RunView;
  const textsOf = (...waits: readonly RunWait[]) =>
    toQuestion(view(...waits)).parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));

  it("is a text with a line for each wait, and data for each", () => {
    const until = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    const late: RunWait = { ...approval, toolCallId: "call", until, askedAt: 1, argsSchema: { type: "object" } };

    expect(toQuestion(view(late, input))).toEqual({
      messageId: "r:w1",
      role: "agent",
      taskId: "r",
      contextId: "s",
      parts: [
        text(
          'The agent asks for approval to call pay with {"euro":7}. Answer "yes", or say why not.\n' +
            "The agent asks for the result of locate with {}.",
        ),
        data({
          waitId: "w1",
          kind: "approval",
          about: approval.about,
          toolCallId: "call",
          until: "2026-01-02T03:04:05.006Z",
        }),
        data({ waitId: "w2", kind: "input", about: input.about }),
      ],
    });
  });

  it("has what the agent asked, its files too, and no facts beside", () => {
    const asked: RunWait = { ...message, about: toAsked([text("Who?"), image, text("Say.")]) };

    expect(toQuestion(view(asked)).parts).toEqual([text("Who?\nSay."), image, data({ waitId: "w4", kind: "input" })]);
  });

  it("is the question of a tool that asks one", () => {
    expect(textsOf({ ...input, about: { toolName: "ask_user", args: { question: "Which city?" } } })).toEqual([
      "Which city?",
    ]);
  });

  it.each<[string, RunWait, string]>([
    ["no name and no arguments", { ...approval, about: null }, "approval to call a tool. "],
    ["a name that is no string", { ...approval, about: { toolName: 7 } }, "approval to call a tool. "],
    ["no arguments", { ...approval, about: { toolName: "pay" } }, "approval to call pay. "],
    ["an empty question", { ...input, about: { toolName: "a", args: { question: " " } } }, "result of a with {"],
    ["arguments that are null", { ...approval, about: { toolName: "pay", args: null } }, "call pay with null. "],
    ["a doubt", doubt, 'It is unknown if the call of pay with {"euro":7} took place. Answer "again" or "giveUp"'],
    [
      "another kind",
      { ...doubt, kind: "release" } as unknown as RunWait,
      "This release of the service lacks something",
    ],
  ])("is a sentence for %s", (_title, wait, expected) => {
    expect(textsOf(wait)).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    [2000, ""],
    [2001, "…"],
  ])("shows arguments of %i characters whole or cut, and its data has them whole", (length, end) => {
    const args = { a: "x".repeat(length - `{"a":""}`.length) };
    const wait: RunWait = { ...approval, about: { toolName: "pay", args } };
    const whole = JSON.stringify(args);

    expect(textsOf(wait)[0]).toContain(end === "" ? `${whole}. ` : `${whole.slice(0, 1999)}…. `);
    expect(toQuestion(view(wait)).parts[1]).toEqual(data({ waitId: "w1", kind: "approval", about: wait.about }));
  });

  it("has an id without a wait", () => {
    expect(toQuestion(view())).toMatchObject({ messageId: "r:wait", parts: [text("")] });
    expect(toQuestion({ runId: "r", sessionId: "s" } as unknown as RunView).messageId).toBe("r:wait");
  });
});
