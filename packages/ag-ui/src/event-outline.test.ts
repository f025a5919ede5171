import { EventSchemas } from "ag-ui-core-1/schemas";
import { TroupeError } from "@troupe/core";
import type { RunWait, StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { EventWriter } from "./event-writer.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import { readRequest } from "./read-request.ts";

type Act = (writer: EventWriter) => void;

const chunk =
  (given: object): Act =>
  (writer) =>
    writer.takeChunk(given as StreamChunk);
const flow =
  (given: object): Act =>
  (writer) =>
    writer.takeWorkflowEvent(given as Parameters<EventWriter["takeWorkflowEvent"]>[0]);
const wait =
  (given: object): Act =>
  (writer) =>
    writer.takeWait({ askedAt: 1, ...given } as RunWait);
const text = (piece: string, member?: string, delegationId?: string) =>
  chunk({ type: "text", text: piece, ...(member !== undefined && { member, delegationId }) });
const thinking = (piece: string, member?: string, delegationId?: string) =>
  chunk({ type: "thinking", text: piece, ...(member !== undefined && { member, delegationId }) });
const start = (id: string, name = "draw") => chunk({ type: "tool_call_start", toolCall: { id, name } });
const args = (id: string, delta: string) => chunk({ type: "tool_call_delta", toolCallId: id, argumentsDelta: delta });
const result = (id: string, more: object = { result: "é" }) =>
  chunk({ type: "tool_result", toolCallId: id, toolName: "draw", ...more });
const pause =
  (...waits: object[]): Act =>
  (writer) =>
    writer.pause(waits.map((each) => ({ askedAt: 1, ...each }) as RunWait));
const fail =
  (code: ConstructorParameters<typeof TroupeError>[0]): Act =>
  (writer) =>
    writer.fail(new TroupeError(code, "secret é"));
const over: Act = (writer) => writer.finish({});

/** Every kind of event of a run, in every order that decides about what is opened and closed. */
const scenes: Readonly<Record<string, readonly Act[]>> = {
  nothing: [over],
  "text and reasoning in pieces": [thinking("Hm"), thinking("."), text("a"), text("é"), thinking("b"), over],
  "a tool between texts, each call once": [
    text("a"),
    start("c1"),
    start("c1"),
    args("c1", '{"é":'),
    args("c1", "1}"),
    result("c1"),
    result("c1", { result: "again" }),
    text("b"),
    over,
  ],
  "results of data, of nothing, and with artifacts": [
    start("c1"),
    result("c1", { result: { a: [1] } }),
    start("c2"),
    result("c2", {
      result: null,
      error: "No.",
      artifacts: [
        { type: "chart", data: 1 },
        { type: "é", data: 2 },
      ],
    }),
    over,
  ],
  "a result whose call nobody saw": [result("c9"), result("c9"), over],
  "a result of a call that was asked about before": [
    wait({ id: "w", kind: "approval", about: {} }),
    result("c9"),
    over,
  ],
  "progress, and a source": [
    chunk({ type: "tool_progress", toolCallId: "c1", toolName: "draw", progress: { done: 1 } }),
    chunk({ type: "source", id: "s1", url: "https://e.x/é", title: "é" }),
    over,
  ],
  "members of a team that speak at once, and one that fails": [
    text("Let us ask."),
    start("d1", "delegate_to_ann"),
    start("d2", "delegate_to_bob"),
    text("a1", "ann", "d1"),
    thinking("b1", "bob", "d2"),
    text("a2", "ann", "d1"),
    text("b2", "bob", "d2"),
    text("deep", "ann/inner", "d1"),
    result("d1"),
    text("late", "ann", "d1"),
    result("d2", { result: null, error: "No." }),
    text("We agree."),
    over,
  ],
  "members whose run was never announced": [text("a", "ann", "d1"), text("b", "bob"), over],
  "members that are cut off": [start("d1", "delegate_to_ann"), thinking("a", "ann", "d1"), fail("timeout")],
  "steps of a workflow, one of which is left open": [
    flow({ type: "step_start", step: "é" }),
    flow({ type: "chunk", step: "é", chunk: { type: "text", text: "a" } }),
    flow({ type: "step_end", step: "é", status: "completed" }),
    flow({ type: "step_end", step: "never begun", status: "completed" }),
    flow({ type: "step_start", step: "b" }),
    flow({ type: "chunk", step: "b", chunk: { type: "text", text: "b" } }),
    (writer) => writer.finish({ state: { a: "é" } }),
  ],
  "a call that is asked about, shown once": [
    start("c1", "pay"),
    args("c1", "{}"),
    wait({ id: "w1", kind: "approval", toolCallId: "c1", about: { toolName: "pay", args: {} } }),
    pause({ id: "w1", kind: "approval", toolCallId: "c1", about: { toolName: "pay", args: {} } }),
  ],
  "calls of child runs that are asked about": [
    text("a"),
    wait({ id: "w1", kind: "approval", toolCallId: "c1", about: { toolName: "pay", args: { é: 1 } } }),
    pause(
      { id: "w1", kind: "approval", toolCallId: "c1", about: { toolName: "pay", args: { é: 1 } } },
      { id: "w2", kind: "input", toolCallId: "c2", about: null },
    ),
  ],
  "questions of each kind": [
    pause(
      { id: "w1", kind: "question", about: { question: "Où?", schema: { type: "number" } } },
      { id: "w2", kind: "question", about: { question: "Où?" } },
      { id: "w3", kind: "event", about: {} },
      { id: "w4", kind: "approval", about: null },
      { id: "w5", kind: "doubt", toolCallId: "c5", about: { toolName: "pay" }, until: 1000 },
    ),
  ],
  "results that are asked for": [pause({ id: "w1", kind: "input", toolCallId: "c1" }, { id: "w2", kind: "input" })],
  "a failure with all open": [
    flow({ type: "step_start", step: "s" }),
    start("c1"),
    text("a"),
    start("d1", "delegate_to_ann"),
    text("b", "ann", "d1"),
    fail("internal"),
  ],
  "a cancelled run": [text("a"), fail("cancelled")],
  "a failure for the client": [fail("rate_limited")],
  usage: [
    chunk({ type: "finish", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 } }),
    over,
  ],
};

/** Plays a scene for a client of a version, in a team or not. */
function play(acts: readonly Act[], { isCurrent = true, isTeam = true } = {}): AgUiEvent[] {
  const events: AgUiEvent[] = [];
  const version = isCurrent ? { protocolVersion: "1.0" } : {};
  const request = readRequest({ threadId: "th", runId: "theirs", messages: [], ...version });
  const writer = new EventWriter({ request, runId: "ours", isTeam }, (event) => events.push(event));
  writer.begin();
  for (const act of acts) act(writer);
  return events;
}

/** Returns what an event begins or ends: its kind, and the id of the thing. */
function markOf(event: AgUiEvent): { readonly id: string; readonly isEnd: boolean } | undefined {
  const [, kind, mark] = /^(.*)_(STARTED|FINISHED|START|END|ERROR)$/.exec(event.type) ?? [];
  if (kind === undefined || mark === undefined || kind === "RUN") return undefined;
  const id = event["messageId"] ?? event["toolCallId"] ?? event["subagentRunId"] ?? event["stepName"];
  return { id: `${kind} ${String(id)}`, isEnd: ["FINISHED", "END", "ERROR"].includes(mark) };
}

// What a client reads. If a change is meant, write the outlines anew by `vitest --update`.
describe.each([
  ["current", {}],
  ["earlier", { isCurrent: false, isTeam: false }],
] as const)("the events for a client of the %s version", (file, client) => {
  it("are these, for every kind of event of a run", async () => {
    const outline = Object.entries(scenes).map(([title, acts]) =>
      [`# ${title}`, ...play(acts, client).map((event) => JSON.stringify(event))].join("\n"),
    );

    await expect(`${outline.join("\n\n")}\n`).toMatchFileSnapshot(`../test/outlines/events-${file}.txt`);
  });

  it.each(Object.entries(scenes))("close what they open, once, before the end: %s", (_, acts) => {
    const events = play(acts, client);
    const open = new Set<string>();
    for (const event of events) {
      const mark = markOf(event);
      if (mark === undefined) continue;
      expect(open.has(mark.id), `${event.type} ${mark.id}`).toBe(mark.isEnd);
      if (mark.isEnd) open.delete(mark.id);
      else open.add(mark.id);
    }

    expect([...open]).toEqual([]);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("RUN_"))).toHaveLength(2);
    expect(events.at(-1)?.type).toMatch(/^RUN_(FINISHED|ERROR)$/);
    for (const event of events) expect(() => EventSchemas.parse(event)).not.toThrow();
  });
});
