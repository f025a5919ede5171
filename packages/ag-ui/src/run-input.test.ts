import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readRequest } from "./read-request.ts";
import { messageInput, workflowInput } from "./run-input.ts";

const user = (content: unknown) => ({ id: "u", role: "user", content });
const request = (fields: object) => readRequest({ threadId: "th", runId: "r", messages: [], ...fields });
const requestOf = (...messages: unknown[]) => request({ messages });

describe("the input of an agent's run", () => {
  it("is the user's last message [ag-ui.request]", () => {
    expect(messageInput(requestOf(user("é"), { role: "assistant", content: "Là." }))).toBe("é");
  });

  it.each([" ", "", [], [{ type: "text", text: " " }], [{ type: "text" }], [{ type: "image", source: { value: 7 } }]])(
    "is not %j, and the error names the message",
    (content) => {
      expect(() => messageInput(requestOf(user("Hi."), user(content)))).toThrow(/^messages\[1\]\.content/);
    },
  );

  it("is missing in a request that only answers, or says nothing", () => {
    expect(() => messageInput(requestOf({ role: "tool", toolCallId: "t", content: "60 N" }))).toThrow(
      "has no run that waits",
    );
    expect(() => messageInput(requestOf({ role: "assistant", content: "Là." }))).toThrow(
      "messages must have one of the user.",
    );
  });
});

describe("the input of a workflow's run", () => {
  const initialState = { city: "", days: 1, isFar: false, stops: [], more: {}, any: null };
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Hi.") });
  const reading = new Workflow({ name: "w", initialState, steps: [{ name: "s", agent }] });
  const computing = new Workflow({
    name: "w",
    initialState,
    steps: [{ name: "s", agent, inputFrom: ({ city }) => city }],
  });
  const open = new Workflow({ name: "w", initialState: {}, steps: [{ name: "s", agent }] });

  it("is the text of the user where a step reads one, and the state elsewhere [ag-ui.request]", () => {
    const both = request({ state: { city: "Ås" }, messages: [user("Où?")] });

    expect(workflowInput(reading, both)).toBe("Où?");
    expect(workflowInput(computing, both)).toEqual({ city: "Ås" });
    expect(workflowInput(reading, request({ state: { city: "Ås" } }))).toEqual({ city: "Ås" });
    const parts = [
      { type: "text", text: "Où" },
      { type: "text", text: "?" },
    ];
    expect(workflowInput(reading, requestOf(user(parts)))).toBe("Où?");
  });

  it.each([undefined, null, {}, { plan: "x" }])("is nothing for the state %j", (state) => {
    expect(workflowInput(computing, request({ state }))).toBeUndefined();
  });

  it("lacks the keys that steps of an earlier run have set, unless the workflow takes any", () => {
    const state = { city: "Ås", plan: "Walk." };

    expect(workflowInput(reading, request({ state }))).toEqual({ city: "Ås" });
    expect(workflowInput(open, request({ state }))).toEqual(state);
  });

  it("has the keys of the input that the workflow declares, and no results of its steps", () => {
    const inputSchema = {
      type: "object",
      properties: { city: { type: "string" } },
      additionalProperties: false,
    } as const;
    const declared = new Workflow({ name: "w", initialState, inputSchema, steps: [{ name: "s", agent }] });

    expect(workflowInput(declared, request({ state: { city: "Ås", days: "wrong", plan: "x" } }))).toEqual({
      city: "Ås",
    });
  });

  it.each([{ city: 7 }, { days: "1" }, { isFar: 1 }, { stops: {} }, { more: [] }, { more: null }, { city: null }])(
    "is never the state %j, whose value is of another kind",
    (state) => {
      const [key = ""] = Object.keys(state);
      expect(() => workflowInput(reading, request({ state }))).toThrow(`state.${key} must be`);
      expect(() => workflowInput(reading, request({ state, messages: [user("Hi.")] }))).toThrow(`state.${key} must be`);
    },
  );

  it("takes any value where the workflow begins with null", () => {
    for (const any of [null, 1, "é", [], {}])
      expect(workflowInput(reading, request({ state: { any } }))).toEqual({ any });
  });

  it.each([7, "x", []])("is refused with the state %j", (state) => {
    expect(() => workflowInput(reading, request({ state }))).toThrow("state must be an object.");
  });

  it("is no picture", () => {
    const picture = { type: "image", source: { type: "data", value: "aQ==", mimeType: "image/png" } };
    expect(() => workflowInput(reading, requestOf(user([picture])))).toThrow("messages[0].content must be text");
  });
});
