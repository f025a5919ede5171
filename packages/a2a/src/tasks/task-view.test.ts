import type { Json, RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { createArtifact } from "../agent/artifact.ts";
import { messageReply, completedReply, rejectedReply } from "../agent/reply.ts";
import { toQuestion } from "./questions.ts";
import { noteOf } from "./task-history.ts";
import { toArtifacts, toMessage, toMetadata, toStatus, toTask } from "./task-view.ts";

const form = { repeatsAnswer: true };
const plain = { repeatsAnswer: false };
const run: RunView = {
  runId: "r",
  kind: "agent",
  name: "helper",
  sessionId: "s",
  status: "queued",
  createdAt: 1,
  attempts: 0,
};
const wait = (id: string, fields: Partial<RunWait> = {}): RunWait => ({ id, kind: "approval", about: null, ...fields });
const done = (output: unknown, fields: object = {}): RunView => {
  return { ...run, status: "completed", startedAt: 2, endedAt: 3, attempts: 1, output: output as Json, ...fields };
};
const failed = (code: string, fields: object = {}) =>
  done(undefined, { status: "error", error: { code, message: "It broke." } as RunView["error"] & object, ...fields });
const byTool = { toolCallId: "c1", toolName: "end" };
const ending = (reply: { content: string; artifacts: object[] }, text = reply.content) => {
  return { text, artifacts: reply.artifacts.map((each) => ({ ...each, ...byTool })) };
};
const said = (...parts: object[]) => ({ messageId: "r:end", role: "agent", taskId: "r", contextId: "s", parts });
const text = (value: string) => ({ kind: "text", text: value });
const response = (...parts: object[]) => ({ artifactId: "response", name: "response", parts });

describe("the status of a task", () => {
  it.each<[string, RunView, object]>([
    ["queued", run, { state: "submitted", at: 1 }],
    ["queued after an answer", { ...run, attempts: 1, startedAt: 2 }, { state: "working", at: 2 }],
    ["queued after an answer, without a start", { ...run, attempts: 1 }, { state: "working", at: 1 }],
    ["running", { ...run, status: "running", startedAt: 2, attempts: 1 }, { state: "working", at: 2 }],
    ["running without a start", { ...run, status: "running" }, { state: "working", at: 1 }],
    ["over", done({}), { state: "completed", at: 3 }],
    ["over without an end", done({}, { endedAt: undefined }), { state: "completed", at: 2 }],
    ["over without a start", done({}, { endedAt: undefined, startedAt: undefined }), { state: "completed", at: 1 }],
    ["over with an answer", done({ text: "Rain." }), { state: "completed", at: 3, message: said(text("Rain.")) }],
    [
      "over with data",
      done({ text: "Rain.", structured: [0] }),
      {
        state: "completed",
        at: 3,
        message: said(text("Rain."), { kind: "data", data: [0], mediaType: "application/json" }),
      },
    ],
    [
      "over with a message",
      done(ending(completedReply("Done."))),
      { state: "completed", at: 3, message: said(text("Done.")) },
    ],
    [
      "over with a message in its place",
      done(ending(messageReply("Hi."))),
      { state: "completed", at: 3, message: said(text("Hi.")) },
    ],
    ["rejected", done(ending(rejectedReply("Never."))), { state: "rejected", at: 3, message: said(text("Never.")) }],
  ])("is that of its run: %s", (_what, view, status) => {
    const defined = JSON.parse(JSON.stringify(view)) as RunView;
    expect(toStatus(defined, form)).toEqual(status);
  });

  it("has the answer for clients that look for it there, and what the agent said for all", () => {
    expect(toStatus(done({ text: "Rain." }), plain)).toEqual({ state: "completed", at: 3 });
    expect(toStatus(done(ending(rejectedReply("Never."))), plain)).toMatchObject({ message: said(text("Never.")) });
  });

  it.each([
    ["model_failed", "failed"],
    ["guardrail_blocked", "rejected"],
    ["cancelled", "canceled"],
  ])("the status of a task of a run that failed with %s is %s, with the public message and the code", (code, state) => {
    const message = { ...said(text("It broke.")), metadata: { code } };
    expect(toStatus(failed(code), plain)).toEqual({ state, at: 3, message });
  });

  it.each([
    [["approval"], "input-required"],
    [["event"], "working"],
    [["sleep", "event"], "working"],
    [["event", "approval"], "input-required"],
    [["question", "sleep"], "input-required"],
  ] as const)("a run that waits for %j has the status %s", (kinds, state) => {
    const waits = kinds.map((kind, index) => wait(`w${index}`, { kind }));
    expect(toStatus({ ...run, status: "waiting", startedAt: 2, attempts: 1, waits }, form)).toMatchObject({ state });
  });

  it.each([
    { waits: [wait("w1", { askedAt: 7 }), wait("w2", { askedAt: 9 }), wait("w3", { askedAt: 8 })], at: 9 },
    { waits: [wait("w1"), wait("w2", { askedAt: 5 })], at: 5 },
    { waits: [wait("w1")], at: 2 },
    { waits: undefined, at: 2 },
  ])("the status of a task of a run that waits has its question, since the last was asked: $at", ({ waits, at }) => {
    const view: RunView = { ...run, status: "waiting", startedAt: 2, attempts: 1, ...(waits && { waits }) };
    expect(toStatus(view, form)).toEqual({ state: "input-required", at, message: toQuestion(view) });
  });
});

describe("the message in the place of a task", () => {
  it("is that of the agent, without a task", () => {
    const { taskId: _, ...message } = said(text("Hi."));
    expect(toMessage(done(ending(messageReply("Hi."))))).toEqual(message);
  });

  it.each<[string, RunView]>([
    ["an answer", done({ text: "Hi." })],
    ["a task that is completed", done(ending(completedReply("Hi.")))],
    ["a task that is rejected", done(ending(rejectedReply("Hi.")))],
    ["a run that failed", { ...failed("internal"), output: ending(messageReply("Hi.")) }],
    ["a run that goes on", { ...run, status: "running" }],
  ])("is none for %s", (_what, view) => {
    expect(toMessage(view)).toBeUndefined();
  });
});

describe("the artifacts of a task", () => {
  const chart = { type: "chart", data: "a,b", mimeType: "text/csv", toolCallId: "c0", toolName: "draw" };
  const shown = {
    artifactId: "c0.0",
    name: "chart",
    parts: [{ kind: "text", text: "a,b", mediaType: "text/csv" }],
    metadata: { toolName: "draw" },
  };
  const pieces = ["1", "2"].map((part, index) => {
    const made = createArtifact({ artifactId: "a", parts: part, append: index > 0 });
    return { ...made, toolCallId: "c0", toolName: "draw" };
  });

  it.each<[string, unknown, object[]]>([
    ["no output", undefined, []],
    ["an output of another form", "Rain.", []],
    ["no text", { text: "" }, []],
    ["a text", { text: "Rain." }, [response(text("Rain."))]],
    ["data", { text: "", structured: false }, [response({ kind: "data", data: false, mediaType: "application/json" })]],
    ["what tools made, behind the answer", { text: "Rain.", artifacts: [chart] }, [response(text("Rain.")), shown]],
    ["pieces, as one", { artifacts: pieces }, [{ artifactId: "a", parts: [text("1"), text("2")] }]],
    ["a message that is the answer", ending(completedReply("Done.")), []],
    ["a message beside the answer", ending(completedReply("Done."), "Rain."), [response(text("Rain."))]],
    ["a reason in place of the answer", ending(rejectedReply("Never."), "Rain."), []],
    ["a message in place of the answer", ending(messageReply("Hi."), "Rain."), []],
  ])("are of %s", (_what, output, artifacts) => {
    expect(toArtifacts({ output: output as Json })).toEqual(artifacts);
  });

  it("are none where a guardrail has blocked the answer, and those until then of another failure", () => {
    const output = { text: "Ra", artifacts: [chart] } as unknown as Json;
    expect(toArtifacts({ ...failed("guardrail_blocked"), output })).toEqual([]);
    expect(toArtifacts({ ...failed("model_failed"), output })).toEqual([response(text("Ra")), shown]);
  });
});

describe("a task", () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

  it("is all that its run tells", () => {
    const asked = { messageId: "m", role: "user", parts: [text("Hi")] } as Parameters<typeof noteOf>[0];
    const view = done(
      { text: "Rain.", usage, durationMs: 4, model: "m-1", sessionId: "canary" },
      { note: noteOf(asked) },
    );
    expect(toTask(view, form)).toEqual({
      id: "r",
      contextId: "s",
      status: { state: "completed", at: 3, message: said(text("Rain.")) },
      artifacts: [response(text("Rain."))],
      history: [{ ...asked, taskId: "r", contextId: "s" }],
      metadata: { usage, durationMs: 4, model: "m-1" },
    });
  });

  it("has no metadata before its end", () => {
    expect(toTask(run, form)).toStrictEqual({
      id: "r",
      contextId: "s",
      status: { state: "submitted", at: 1 },
      artifacts: [],
      history: [],
    });
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    [{ durationMs: 4, model: "m-1" }, undefined],
    [{ usage }, { usage }],
    [
      { usage, durationMs: 0 },
      { usage, durationMs: 0 },
    ],
  ])("has of the output %j the metadata %j", (output, metadata) => {
    expect(toMetadata(output as Json)).toStrictEqual(metadata);
  });
});
