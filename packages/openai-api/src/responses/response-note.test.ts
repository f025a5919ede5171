import { describe, expect, it } from "vitest";
import { scripted } from "../../test/agents.ts";
import type { ServedModel } from "../models/served-models.ts";
import { readNote, toNote } from "./response-note.ts";
import { noEcho } from "./response-object.ts";

const waiting = { name: "ask", description: "Asks.", parameters: { type: "object" as const } };
const { agent } = scripted([], { tools: [waiting] });
const model: ServedModel = { id: "agent/helper", kind: "agent", name: "helper", subject: agent };
const tools = [
  { type: "function", name: "get_time" },
  { type: "function", name: "ask" },
];

describe("the note of a response", () => {
  it("has all that its later readers need, and each of the client's tools once", () => {
    const echo = { ...noEcho, tools, instructions: "é", metadata: { a: "b" }, user: "u" };

    expect(readNote(toNote(model, echo))).toEqual({ model: "agent/helper", echo, clientTools: ["get_time", "ask"] });
  });

  it("leaves out what is long where it would be too long", () => {
    const empty = JSON.stringify(toNote(model, { ...noEcho, tools, instructions: "", metadata: { a: "b" } })).length;
    const noteOf = (length: number) =>
      readNote(toNote(model, { ...noEcho, tools, metadata: { a: "b" }, instructions: "x".repeat(length - empty) }));

    expect(noteOf(200_000)?.echo).toMatchObject({ tools, metadata: { a: "b" } });
    expect(noteOf(200_000)?.echo.instructions).not.toBeNull();
    expect(noteOf(200_001)).toEqual({ model: "agent/helper", echo: noEcho, clientTools: ["get_time", "ask"] });
  });

  it.each([undefined, null, {}, { other: {} }, { openai: {} }])("is none of %j", (note) => {
    expect(readNote(note)).toBeUndefined();
  });

  it("has defaults for what an earlier version did not store", () => {
    const note = { openai: { model: "m", echo: { user: "u" } } };

    expect(readNote(note)).toEqual({ model: "m", echo: { ...noEcho, user: "u" }, clientTools: [] });
  });
});
