import { TroupeError } from "@troupe/core";
import type { RunWait, StreamChunk } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PartEvent } from "../run/part-events.ts";
import { PartUsage } from "../run/part-usage.ts";
import { newResponse, noEcho } from "./response-object.ts";
import { ResponseWriter } from "./response-writer.ts";
import type { ResponseEvent, WriterFacts } from "./response-writer.ts";

const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7, cachedTokens: 3, reasoningTokens: 1 };
const runId = "00000000-0000-4000-8000-000000000001";

const chunk = (given: StreamChunk, step?: string) => ({ type: "chunk", id: "", chunk: given, step }) as PartEvent;
const text = (piece: string, step?: string) => chunk({ type: "text", text: piece }, step);
const thinking = (piece: string, step?: string) => chunk({ type: "thinking", text: piece }, step);
const start = (id: string, name: string, step?: string) =>
  chunk({ type: "tool_call_start", toolCall: { id, name } }, step);
const delta = (id: string, argumentsDelta: string) =>
  chunk({ type: "tool_call_delta", toolCallId: id, argumentsDelta });
const result = (id: string, toolName: string, given: object) =>
  chunk({ type: "tool_result", toolCallId: id, toolName, ...given } as StreamChunk);
const source = (given: object) => chunk({ type: "source", ...given } as StreamChunk);
const finish = (finishReason: string) => chunk({ type: "finish", finishReason, usage } as StreamChunk);
const wait = (id: string, given: object) => ({ type: "wait", wait: { id, ...given } as RunWait }) as PartEvent;
const reset = (step: string) => ({ type: "reset", step }) as PartEvent;

const asks = (id: string, kind: string, about: { toolName: string; args?: object }) =>
  wait(id, { kind, toolCallId: `call-${id}`, about });

type Scene = {
  readonly events: readonly PartEvent[];
  readonly facts?: Partial<WriterFacts>;
  readonly end?: (writer: ResponseWriter) => void;
};

const completed = (writer: ResponseWriter) => writer.finish(undefined);

/** Every kind of event, in every order that decides about an item. */
const scenes: Readonly<Record<string, Scene>> = {
  "text in pieces": { events: [text("Hé"), text("llo."), finish("stop")] },
  "no event at all": { events: [] },
  "a length that was reached": { events: [text("a"), finish("length")] },
  "content that a vendor filtered": { events: [text("a"), finish("content_filter")] },
  "thinking before text and after it": { events: [thinking("Let "), thinking("me."), text("a"), thinking("b")] },
  "a tool of the agent between two texts": {
    events: [
      text("See."),
      start("c1", "weather"),
      delta("c1", '{"a":'),
      delta("c1", "1}"),
      result("c1", "weather", { result: { é: 1 } }),
      text("It rains."),
    ],
  },
  "a tool that fails, a result that is text, and one that is nothing": {
    events: [
      start("c1", "a"),
      start("c2", "b"),
      start("c3", "c"),
      start("c1", "a"),
      result("c2", "b", { result: "text" }),
      result("c1", "a", { result: null, error: "No." }),
      result("c3", "c", {}),
    ],
  },
  "a result whose call nobody saw": { events: [text("a"), result("c9", "weather", { result: "r" })] },
  "a held tool that was not asked about after all": {
    facts: { held: new Set(["weather"]) },
    events: [
      text("a"),
      start("c1", "weather"),
      delta("c1", '{"b":'),
      delta("c1", "2}"),
      result("c1", "weather", { result: "r" }),
    ],
  },
  "a held tool whose model wrote no JSON": {
    facts: { held: new Set(["weather"]) },
    events: [start("c1", "weather"), delta("c1", "{b"), result("c1", "weather", { result: "r" })],
  },
  "questions for the client, each once": {
    facts: { held: new Set(["get_time", "pay"]), clientTools: new Set(["get_time"]) },
    events: [
      text("a"),
      start("call-w1", "get_time"),
      delta("call-w1", "{}"),
      asks("w1", "input", { toolName: "get_time", args: { zone: "UTC" } }),
      asks("w1", "input", { toolName: "get_time", args: { zone: "UTC" } }),
      asks("w2", "approval", { toolName: "pay" }),
      asks("w3", "pause", { toolName: "sleep" }),
      result("call-w1", "get_time", { result: "12:00" }),
    ],
  },
  "a question about a call that was shown": {
    events: [
      start("call-w1", "pay"),
      delta("call-w1", "{}"),
      asks("w1", "approval", { toolName: "pay", args: {} }),
      text("b"),
    ],
  },
  "a question without a tool": { events: [wait("w1", { kind: "input" })] },
  "a result of a call that an earlier part asked about": {
    facts: { asked: new Map([["c1", { name: "weather", args: '{"a":1}' }]]) },
    events: [result("c1", "weather", { result: "r" }), text("b")],
  },
  "sources before text, in it and behind it": {
    events: [
      source({ url: "https://e.x/a" }),
      source({ id: "s", title: "no address" }),
      text("é"),
      source({ url: "https://e.x/b", title: "B" }),
      text("b"),
      thinking("c"),
      source({ url: "https://e.x/c" }),
    ],
  },
  "a journal step that is repeated while its items are open": {
    events: [
      text("a", "s1"),
      start("c1", "weather", "s2"),
      start("c2", "other", "s3"),
      text("b", "s2"),
      reset("s2"),
      text("c", "s2"),
      result("c2", "other", { result: "r" }),
    ],
  },
  "a journal step that is repeated after its items": {
    events: [text("a", "s1"), thinking("b", "s2"), text("c", "s2"), thinking("d", "s3"), reset("s2"), text("e", "s4")],
  },
  "a reset without a step": { events: [text("a"), thinking("b"), reset("")] },
  "a failure with items open": {
    events: [start("c1", "weather"), text("a")],
    end: (writer) => writer.fail(new TroupeError("rate_limited", "Later."), usage),
  },
  "a failure before any event": {
    events: [],
    end: (writer) => writer.fail(new TroupeError("internal", "secret"), undefined),
  },
  "a cancelled run": {
    events: [source({ url: "https://e.x/a" })],
    end: (writer) => writer.fail(new TroupeError("cancelled", "Gone."), undefined),
  },
  "the text and usage of a workflow": {
    events: [],
    end: (writer) => {
      writer.addText("");
      writer.addText("é");
      writer.finish(usage);
    },
  },
  "a turn of a session": {
    events: [],
    end: (writer) => {
      writer.addText("a");
      writer.addCall({ id: "c1", name: "weather", args: '{"a":1}', output: "rain", error: undefined });
      writer.addCall({ id: "c2", name: "weather", args: "{}", output: "", error: "No." });
      writer.addText("b");
      writer.finish(usage);
    },
  },
};

function newFacts(): WriterFacts {
  return { runId, prefix: "p00", held: new Set<string>(), clientTools: new Set<string>(), used: new PartUsage() };
}

/** Writes the events of a scene, and returns a line for each event that a client gets. */
function play({ events, facts, end = completed }: Scene): { lines: string[]; writer: ResponseWriter } {
  const sent: ResponseEvent[] = [];
  const response = newResponse({ id: "resp_1", model: "helper", createdAt: 5_000 }, noEcho);
  const all = { ...newFacts(), ...facts };
  const writer = new ResponseWriter(response, all, (event) => {
    sent.push(structuredClone(event));
  });
  writer.begin();
  writer.begin();
  for (const event of events) writer.take(event);
  end(writer);
  return { lines: sent.map((event) => JSON.stringify(shorten(event))), writer };
}

/** Leaves out the fields of a response that only repeat its request: see the tests of a new response. */
function shorten(event: ResponseEvent): object {
  const { response, ...rest } = event as ResponseEvent & { readonly response?: Record<string, unknown> };
  if (response === undefined) return rest;
  const echoed = new Set(["object", "model", ...Object.keys(noEcho)]);
  const more = ["max_tool_calls", "reasoning", "safety_identifier", "prompt_cache_key", "service_tier", "truncation"];
  const shown = Object.entries(response).filter(([name]) => !echoed.has(name) && !more.includes(name));
  return { ...rest, response: Object.fromEntries(shown) };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 9_999 });
});
afterEach(() => {
  vi.useRealTimers();
});

// What a client reads. If a change is meant, write the outline anew by `vitest --update`.
it("the events of a response are these, for every kind of event of its run", async () => {
  const played = Object.entries(scenes).map(([title, scene], index) => {
    const { lines } = play(scene);
    const [created, begun, ...rest] = lines;
    // All scenes begin alike.
    return [`# ${title}`, ...(index === 0 ? [created, begun] : []), ...rest, ""].join("\n");
  });
  await expect(played.join("\n")).toMatchFileSnapshot("../../test/outlines/response-events.txt");
});

describe.each(Object.entries(scenes))("the events of a response of %s", (_, scene) => {
  it("agree with the response that is read at once", () => {
    const { lines, writer } = play(scene);
    const last = JSON.parse(lines.at(-1) ?? "") as { response: { output: object[] } };

    expect(writer.snapshot()).toMatchObject(last.response);
    expect(writer.response.output).toEqual(last.response.output);
  });

  it("are numbered from 0, and begin and end each item once", () => {
    const events = play(scene).lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const indexes = (type: string) =>
      events.flatMap((event) => (event["type"] === type ? [event["output_index"] as number] : []));
    const added = indexes("response.output_item.added");

    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_event, index) => index));
    expect(added).toEqual(added.map((_index, place) => place));
    expect(indexes("response.output_item.done").toSorted((one, other) => one - other)).toEqual(added);
  });
});

it("a response is completed no earlier than it was created, whatever the clocks say", () => {
  const response = newResponse({ id: "resp_1", model: "helper", createdAt: 50_000 }, noEcho);
  const writer = new ResponseWriter(response, newFacts(), () => undefined);
  writer.finish(undefined);

  expect(writer.response.completed_at).toBe(50);
});
