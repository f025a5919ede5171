import type { Json, RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { describeWait, toAnswer, toInputRequest } from "./questions.ts";

describe("the question of a workflow", () => {
  const ask = (schema?: object) =>
    ({ id: "w", kind: "question", about: { question: "How old?", ...(schema && { schema }) } }) as RunWait;
  const formOf = (schema?: object) => toInputRequest(ask(schema))?.params.requestedSchema;

  it("is a form of its schema, if that has plain values alone", () => {
    const years = { type: "object", properties: { years: { type: "number" } }, required: ["years"] };
    const result = { type: "string", title: "Answer" };

    expect(toInputRequest(ask())?.params.message).toBe("How old?");
    expect(formOf()).toEqual({ type: "object", properties: { result }, required: ["result"] });
    expect(formOf(years)).toEqual(years);
    expect(formOf({ type: "integer" })).toMatchObject({ properties: { result: { type: "integer" } } });
    expect(formOf({ type: "object", properties: { a: { type: "array" } } })).toBeUndefined();
  });

  it("is answered by the form, and stays open if the user declines", () => {
    const accepted = (content: object) => toAnswer(ask(), { action: "accept", content });

    expect(accepted({ result: "nine" })).toEqual({ result: "nine" });
    expect(accepted({ years: 9 })).toEqual({ result: { years: 9 } });
    expect(toAnswer(ask(), { action: "decline" })).toBeUndefined();
  });

  it("is no form for an event or a time", () => {
    const event = { id: "w", kind: "event", about: { event: "paid" } } as RunWait;

    expect([toInputRequest(event), describeWait(event)]).toEqual([undefined, 'Waits for the event "paid".']);
    expect(describeWait({ id: "w", kind: "sleep", about: {} })).toBe("Waits for a time.");
    expect(describeWait(ask())).toBe("Waits for the answer to a question: How old?");
  });
});

const waitOf = (kind: string, about: Json = { toolName: "pay", args: { amount: 1 } }) =>
  ({ id: "t.0.0", kind, about }) as unknown as RunWait;

describe("the question of a run that waits", () => {
  const choice = {
    type: "string",
    title: "What happened",
    description: "happened: the call took place. again: it did not, make it now. giveUp: end the run.",
    enum: ["happened", "again", "giveUp"],
  };
  const returned = { type: "string", title: "Result", description: "With happened: what the call returned." };

  it.each<[string, string, object]>([
    ["approval", 'May the assistant call pay with {"amount":1}?', { type: "object", properties: {} }],
    [
      "input",
      'The assistant asks you to call pay with {"amount":1}, and to tell it the result.',
      { type: "object", properties: { result: { type: "string", title: "Result" } }, required: ["result"] },
    ],
    [
      "doubt",
      'A call of pay with {"amount":1} was cut off, and may or may not have taken place. What happened?',
      { type: "object", properties: { choice, result: returned }, required: ["choice"] },
    ],
  ])("of the kind %s is a form with one sentence", (kind, message, requestedSchema) => {
    expect(toInputRequest(waitOf(kind))).toStrictEqual({
      method: "elicitation/create",
      params: { mode: "form", message, requestedSchema },
    });
  });

  it("is none for a user where the service alone can help", () => {
    expect(toInputRequest(waitOf("service"))).toBeUndefined();
  });

  it.each<[Json, string]>([
    [null, "a tool with {}"],
    [{}, "a tool with {}"],
    [{ toolName: "pay" }, "pay with {}"],
    [{ toolName: "pay", args: null }, "pay with null"],
  ])("names the call of %j", (about, call) => {
    const shown = toInputRequest(waitOf("approval", about))?.params.message;
    expect(shown).toBe(`May the assistant call ${call}?`);
  });

  it("shows 2,000 characters of the arguments", () => {
    const shown = (length: number) => {
      const about = { toolName: "pay", args: "x".repeat(length - 2) };
      return toInputRequest(waitOf("approval", about))?.params.message.replace(/^.* with (.*)\?$/, "$1");
    };
    expect(shown(2000) === `"${"x".repeat(1998)}"`).toBe(true);
    const cut = shown(2001) ?? "";
    expect([cut.length, cut.slice(-3)]).toEqual([2000, "xx…"]);
  });

  it.each([
    ["approval", "Waits for the approval of a call of pay."],
    ["input", "Waits for the result of a call of pay, which the client has to make."],
    ["doubt", "Waits for word on whether a call of pay took place."],
    ["service", "Waits until the service has again what the run needs."],
  ])("the question of a run that waits of the kind %s is told in a sentence", (kind, sentence) => {
    expect(describeWait(waitOf(kind))).toBe(sentence);
  });
});

describe("the answer of a user", () => {
  const accept = (content: object) => ({ action: "accept", content });
  const declined = "The user declined.";
  const closed = "The user closed the question.";

  it.each<[string, unknown, Json | undefined]>([
    ["approval", { action: "accept" }, { approved: true }],
    ["approval", accept({ approved: false }), { approved: true }],
    ["approval", { action: "decline" }, { approved: false, reason: declined }],
    ["approval", { action: "cancel" }, { approved: false, reason: closed }],
    ["input", accept({ result: "Oslo" }), { result: "Oslo" }],
    ["input", accept({ result: "" }), { result: "" }],
    ["input", accept({ city: "Oslo" }), { result: { city: "Oslo" } }],
    ["input", { action: "accept" }, { result: {} }],
    ["input", { action: "decline" }, { error: declined }],
    ["input", { action: "cancel" }, { error: closed }],
    ["doubt", accept({ choice: "happened", result: "Paid." }), { choice: "happened", result: "Paid." }],
    ["doubt", accept({ choice: "happened" }), { choice: "happened", result: "" }],
    ["doubt", accept({ choice: "again", result: "Paid." }), { choice: "again" }],
    ["doubt", accept({ choice: "giveUp" }), { choice: "giveUp" }],
    ["doubt", accept({}), undefined],
    ["doubt", accept({ choice: 1 }), undefined],
    ["doubt", { action: "decline" }, undefined],
    ["doubt", { action: "cancel" }, undefined],
    ["service", accept({ choice: "again" }), undefined],
    ["service", { action: "decline" }, undefined],
    ["approval", { action: "ACCEPT" }, undefined],
    ["approval", {}, undefined],
    ["approval", null, undefined],
    ["approval", undefined, undefined],
    ["input", { content: { result: "Oslo" } }, undefined],
  ])("to a question of the kind %s: %j is %j", (kind, response, answer) => {
    expect(toAnswer(waitOf(kind), response)).toStrictEqual(answer);
  });
});
