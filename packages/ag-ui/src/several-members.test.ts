import type { StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { EventWriter } from "./event-writer.ts";
import { readRequest } from "./read-request.ts";

/** A writer for a team's run, and the events that it has written. */
function openWriter(messages: object[] = []) {
  const events: AgUiEvent[] = [];
  const request = readRequest({ threadId: "th", runId: "theirs", messages, protocolVersion: "1.0" });
  const writer = new EventWriter({ request, runId: "ours", isTeam: true }, (event) => events.push(event));
  const take = (step: string, ...chunks: object[]): void => {
    writer.enter(step);
    for (const chunk of chunks) writer.takeChunk(chunk as StreamChunk);
  };
  const shown = (): string[] => events.splice(0).map(toLine);
  return { writer, take, shown, events };
}

/** Writes an event as its type, its id and its text. */
function toLine({ type, ...fields }: AgUiEvent): string {
  const id = fields["toolCallId"] ?? fields["subagentRunId"] ?? fields["messageId"] ?? fields["name"] ?? "";
  const text = fields["delta"] ?? fields["content"] ?? fields["message"] ?? "";
  return `${type} ${id as string} ${text as string}`.trim();
}

const call = (id: string, name = "look") => ({ type: "tool_call_start", toolCall: { id, name } });
const args = (toolCallId: string, argumentsDelta: string) => ({ type: "tool_call_delta", toolCallId, argumentsDelta });
const result = (toolCallId: string, more: object = {}) => ({
  type: "tool_result",
  toolCallId,
  toolName: "look",
  args: {},
  result: `of ${toolCallId}`,
  ...more,
});
const said = (text: string, member: string, delegationId: string) => ({ type: "text", text, member, delegationId });

describe("several calls of one answer", () => {
  it("are each ended once, with their own arguments, results and artifacts, in any order", () => {
    const { take, shown, writer } = openWriter();
    take("m/0", call("a"), call("b"), args("a", "1"), args("b", "ü"), args("a", "2"), call("c"), call("a"));
    take(
      "m/0",
      result("b", {
        artifacts: [
          { type: "x", data: 1 },
          { type: "y", data: 2 },
        ],
      }),
      result("a"),
    );
    writer.finish({});

    expect(shown()).toEqual([
      "TOOL_CALL_START a",
      "TOOL_CALL_START b",
      "TOOL_CALL_ARGS a 1",
      "TOOL_CALL_ARGS b ü",
      "TOOL_CALL_ARGS a 2",
      "TOOL_CALL_START c",
      "TOOL_CALL_END b",
      "TOOL_CALL_RESULT b of b",
      "CUSTOM troupe.artifact",
      "CUSTOM troupe.artifact",
      "TOOL_CALL_END a",
      "TOOL_CALL_RESULT a of a",
      "TOOL_CALL_END c",
      "RUN_FINISHED",
    ]);
  });

  it("are all dropped with their step, and the snapshot has what other steps have written, in order", () => {
    const { take, shown, events, writer } = openWriter([{ id: "u1", role: "user", content: "Hi." }]);
    take("m/0", { type: "text", text: "One" }, { type: "text", text: " two." }, call("kept"), args("kept", "{}"));
    take("t/0/0", result("kept"));
    take("m/1", { type: "text", text: "Void." }, call("x"), args("x", "1"), call("y"), args("y", "2"));
    shown();
    writer.reset("m/1");

    const snapshot = events.find(({ type }) => type === "MESSAGES_SNAPSHOT")?.["messages"];
    expect(snapshot).toMatchObject([
      { id: "u1", role: "user" },
      { role: "assistant", content: "One two." },
      { id: "kept", toolCalls: [{ id: "kept", function: { name: "look", arguments: "{}" } }] },
      { role: "tool", toolCallId: "kept", content: "of kept" },
    ]);
    expect(snapshot).toHaveLength(4);
    expect(shown().filter((line) => line.startsWith("TOOL_CALL_END"))).toEqual(["TOOL_CALL_END x", "TOOL_CALL_END y"]);
    take("m/1", call("y"), args("y", "3"));
    expect(shown()).toEqual(["TOOL_CALL_START y", "TOOL_CALL_ARGS y 3"]);
  });
});

describe("several members who speak at the same time", () => {
  it("have a message each, which ends with their own task, by success or by an error", () => {
    const { take, shown, writer } = openWriter();
    take("m/0", call("a", "delegate_to_ann"), call("b", "delegate_to_bob"));
    shown();
    take("t/0/0", said("A1", "ann", "a"), said("B1", "bob", "b"), said("A2", "ann", "a"), said("B2", "bob", "b"));
    expect(shown()).toEqual([
      "TEXT_MESSAGE_START a",
      "TEXT_MESSAGE_CONTENT a A1",
      "TEXT_MESSAGE_START b",
      "TEXT_MESSAGE_CONTENT b B1",
      "TEXT_MESSAGE_CONTENT a A2",
      "TEXT_MESSAGE_CONTENT b B2",
    ]);
    take("t/0/1", result("b", { error: "No." }));
    expect(shown()).toEqual([
      "TOOL_CALL_END b",
      "TEXT_MESSAGE_END b",
      "SUBAGENT_ERROR b No.",
      "TOOL_CALL_RESULT b No.",
    ]);
    take("t/0/0", said("A3", "ann", "a"), result("a"));
    expect(shown()).toEqual([
      "TEXT_MESSAGE_CONTENT a A3",
      "TOOL_CALL_END a",
      "TEXT_MESSAGE_END a",
      "SUBAGENT_FINISHED a",
      "TOOL_CALL_RESULT a of a",
    ]);
    writer.finish({});
    expect(shown()).toEqual(["RUN_FINISHED"]);
  });
});

describe("a message in a snapshot", () => {
  it.each(["text", "thinking"])("has the role, the run and the name of the member who wrote it: %s", (type) => {
    const { take, events, writer } = openWriter();
    take("m/0", call("a", "delegate_to_ann"));
    take("t/0/0", { ...said("A1", "ann", "a"), type });
    take("m/1", { type: "text", text: "Void." });
    writer.reset("m/1");

    const snapshot = events.find((event) => event.type === "MESSAGES_SNAPSHOT")?.["messages"];
    const role = type === "text" ? "assistant" : "reasoning";
    const metadata = { troupe: { member: "ann" } };
    expect(snapshot).toMatchObject([{ id: "a" }, { role, content: "A1", subagentRunId: "a", metadata }]);
  });
});

describe("the results of tools among the messages of a client", () => {
  it("are those of all messages of tools, past each that is none", () => {
    const tool = (toolCallId: unknown, content: unknown, more: object = {}) => ({
      id: "m",
      role: "tool",
      toolCallId,
      content,
      ...more,
    });
    const messages = [
      tool("a", "one"),
      { id: "m", role: "assistant", toolCallId: "x", content: "no result" },
      tool(7, "of no call"),
      tool("b", "zwei ü"),
      { id: "m", role: "user", content: "Go on." },
      tool("c", "", { error: "It failed." }),
      tool("d", null),
    ];
    const { toolResults } = readRequest({ threadId: "th", runId: "r", messages });

    expect([...toolResults]).toEqual([
      ["a", { result: "one" }],
      ["b", { result: "zwei ü" }],
      ["c", { error: "It failed." }],
      ["d", { result: null }],
    ]);
  });
});
