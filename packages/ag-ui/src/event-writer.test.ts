import type { RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { EventWriter } from "./event-writer.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { readRequest } from "./read-request.ts";

/** A writer for a client of a revision, and the events that it has written. */
function write({ protocolVersion }: { protocolVersion?: string } = { protocolVersion: "1.0" }) {
  const events: AgUiEvent[] = [];
  const request = readRequest({ threadId: "th", runId: "theirs", messages: [], protocolVersion });
  const writer = new EventWriter({ request, runId: "ours", isTeam: true }, (event) => events.push(event));
  return { writer, events };
}

const waitOf = (kind: RunWait["kind"], more: object = {}) =>
  ({ id: `w-${kind}`, kind, about: { toolName: "pay", args: { amount: 1 } }, askedAt: 1, ...more }) as RunWait;
const about = { toolName: "pay", args: { amount: 1 } };
const finished = { type: "RUN_FINISHED", threadId: "th", runId: "theirs" };

describe("the end of a stream of a run that waits", () => {
  it("has an interrupt for each question, with what an answer looks like and until when it is taken", () => {
    const { writer, events } = write();
    const until = Date.UTC(2026, 10, 29, 20, 15);
    writer.pause([waitOf("approval", { toolCallId: "c1", until }), waitOf("doubt"), waitOf("upgrade")]);

    expect(events.at(-1)).toEqual({
      ...finished,
      outcome: {
        type: "interrupt",
        interrupts: [
          {
            id: "w-approval",
            reason: "tool_call",
            message: "Call pay?",
            toolCallId: "c1",
            responseSchema: {
              type: "object",
              properties: { approved: { type: "boolean" }, reason: { type: "string" }, editedArgs: { type: "object" } },
              required: ["approved"],
            },
            expiresAt: "2026-11-29T20:15:00.000Z",
            metadata: { about },
          },
          { id: "w-doubt", reason: "troupe:doubt", message: "The run waits: doubt.", metadata: { about } },
          { id: "w-upgrade", reason: "troupe:upgrade", message: "The run waits: upgrade.", metadata: { about } },
        ],
      },
    });
  });

  it("shows a call inside a child run, with its arguments, and closes it", () => {
    const { writer, events } = write();
    writer.pause([waitOf("input", { toolCallId: "c1" }), waitOf("input", { id: "w2", toolCallId: "c2" })]);

    expect(events).toEqual([
      ...["c1", "c2"].flatMap((toolCallId) => [
        { type: "TOOL_CALL_START", toolCallId, toolCallName: "pay" },
        { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"amount":1}' },
      ]),
      { type: "TOOL_CALL_END", toolCallId: "c1" },
      { type: "TOOL_CALL_END", toolCallId: "c2" },
      { ...finished, outcome: { type: "success", pendingToolCallIds: ["c1", "c2"] } },
    ]);
  });

  it("has no outcome for results of tools in the revision without one", () => {
    const { writer, events } = write({});
    writer.pause([waitOf("input", { toolCallId: "c1" })]);

    expect(events.at(-1)).toEqual(finished);
  });
});

describe("the end of a stream of a run that is over", () => {
  it("has the usage in the words of the protocol", () => {
    const { writer, events } = write();
    writer.finish({
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedTokens: 4 },
    });

    const usage = [{ inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedInputTokens: 4 }];
    expect(events).toEqual([{ ...finished, outcome: { type: "success" }, usage }]);
  });

  it("has the usage of the last answer, and no field that is not there", () => {
    const { writer, events } = write();
    for (const totalTokens of [3, 5])
      writer.takeChunk({ type: "finish", usage: { promptTokens: 1, completionTokens: 2, totalTokens } } as never);
    writer.finish({ state: { city: "Oslo" } });

    const usage = [{ inputTokens: 1, outputTokens: 2, totalTokens: 5 }];
    expect(events).toStrictEqual([
      { type: "STATE_SNAPSHOT", snapshot: { city: "Oslo" } },
      { ...finished, outcome: { type: "success" }, usage },
    ]);
  });
});

describe("the texts of a stream", () => {
  const say = (text: string, speaker?: string, type = "text") =>
    ({ type, text, ...(speaker !== undefined && { speaker }) }) as never;

  it.each([
    ["one speaker are one message", [say("a", "Åse"), say("b", "Åse")], ["ab"]],
    ["two speakers are two messages", [say("a", "Åse"), say("b", "Bo"), say("c", "Åse")], ["a", "b", "c"]],
    ["a member and the team are two messages", [say("a", "Åse"), say("b")], ["a", "b"]],
  ])("from %s", (_what, chunks, texts) => {
    const { writer, events } = write();
    for (const chunk of chunks) writer.takeChunk(chunk);
    writer.finish({});

    const told = new Map<unknown, string>();
    for (const event of events as { type: string; messageId?: string; delta?: string }[]) {
      if (event.delta !== undefined) told.set(event.messageId, (told.get(event.messageId) ?? "") + event.delta);
    }
    expect([...told.values()]).toEqual(texts);
  });
});
