import { describe, expect, it } from "vitest";
import { RunError } from "../../agents/run/run-output.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { toPublicEvent, toStreamFailure } from "./public-event.ts";
import { toPublicFailure } from "./public-failure.ts";
import { toPublicRun, toPublicWait, toStoredError } from "./public-run.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const wait = { id: "t.0", kind: "approval" as const, about: { é: null } };
const secret = { sealed: "sk-1", owner: { userId: "ada" }, plan: {} };
const run = {
  runId: "r",
  kind: "agent",
  name: "a",
  sessionId: "s",
  status: "waiting",
  createdAt: 0,
  attempts: 0,
};
const shown = { node: "n", startedAt: 0, endedAt: 0, output: null, error: { code: "internal", message: "" } };

describe("a run as its owner sees it", () => {
  it("has its declared fields, also those that are 0, null or empty, and no other", () => {
    const whole = { ...run, ...shown };
    expect(toPublicRun({ ...whole, ...secret, expiresAt: 1, note: "n" } as never)).toStrictEqual(whole);
    expect(toPublicRun({ ...run, ...secret } as never)).toStrictEqual(run);
  });

  it.each(Object.entries(shown))("has no %s before there is one", (field, value) => {
    expect(toPublicRun({ ...run, [field]: value } as never)).toStrictEqual({ ...run, [field]: value });
    expect(toPublicRun({ ...run, [field]: undefined } as never)).toStrictEqual(run);
  });

  it("has its questions, with the id by which each is answered, and without the schema of its arguments", () => {
    const asked = { ...wait, askedAt: 1, argsSchema: {}, until: 0, toolCallId: "" };
    const publicWait = { waitId: "t.0", kind: "approval", about: { é: null }, until: 0, toolCallId: "" };
    expect(toPublicWait(asked as never)).toStrictEqual(publicWait);
    expect(toPublicRun({ ...run, waits: [asked, wait] } as never)).toStrictEqual({
      ...run,
      waits: [publicWait, { waitId: "t.0", kind: "approval", about: { é: null } }],
    });
    expect(toPublicRun({ ...run, waits: [] } as never)).toStrictEqual({ ...run, waits: [] });
  });
});

describe("an event of a stored run", () => {
  const part = { runId: "r", kind: "agent" as const, isWhole: false };
  const whole = { ...part, isWhole: true };
  const chunk = { type: "text" as const, text: "Æ" };
  const events: [event: object, seen: object][] = [
    [
      { type: "attempt", attempt: 2, node: "n", ...secret },
      { type: "attempt", attempt: 2, node: "n" },
    ],
    [
      { type: "reset", step: "m/1", ...secret },
      { type: "reset", journalStep: "m/1" },
    ],
    [
      { type: "call", step: "t/0", toolName: "t", args: null, effect: "once", ...secret },
      { type: "call", journalStep: "t/0", toolName: "t", args: null, effect: "once" },
    ],
    [
      { type: "done", step: "m/1", usage, durationMs: 0, ...secret },
      { type: "done", journalStep: "m/1", usage, durationMs: 0 },
    ],
    [
      { type: "done", step: "m/1", durationMs: 0, ...secret },
      { type: "done", journalStep: "m/1", durationMs: 0 },
    ],
  ];

  it.each(events)("an event of a stored run of the journal is for those who want all events: %j", (event, seen) => {
    expect(toPublicEvent(event as never, part)).toBeUndefined();
    expect(toPublicEvent(event as never, whole)).toStrictEqual(seen);
  });

  it("is a chunk, with its step for those who want all events", () => {
    const event = { type: "chunk", step: "m/1", chunk: { ...chunk, ...secret } } as never;
    expect(toPublicEvent(event, part)).toStrictEqual(chunk);
    expect(toPublicEvent(event, whole)).toStrictEqual({ ...chunk, journalStep: "m/1" });
    const unknown = { type: "chunk", step: "m/1", chunk: { type: "vendor" } } as never;
    for (const each of [part, whole]) expect(toPublicEvent(unknown, each)).toBeUndefined();
  });

  it("is an event of a workflow where the run is one", () => {
    const inner = { type: "chunk", step: "s", chunk };
    const event = { type: "chunk", step: "", chunk: inner } as never;
    expect(toPublicEvent(event, { ...part, kind: "workflow" })).toStrictEqual(inner);
    expect(toPublicEvent(event, part)).toBeUndefined();
  });

  it("is a question, for everyone, and never an end", () => {
    for (const each of [part, whole]) {
      const question = { type: "wait", runId: "r", waitId: "t.0", kind: "approval", about: { é: null } };
      expect(toPublicEvent({ type: "wait", wait } as never, each)).toStrictEqual(question);
      expect(toPublicEvent({ type: "end", status: "completed" } as never, each)).toBeUndefined();
    }
  });

  it.each(["m/1", "t/0/m/12", "w/s/a/m/0"])(
    "%j that begins anew ends the stream of those who were sent its text",
    (step) => {
      const event = { type: "reset", step } as never;
      expect(toStreamFailure(event, part)).toMatchObject({ code: "interrupted", fields: { runId: "r" } });
      expect(toStreamFailure(event, whole)).toBeUndefined();
    },
  );

  it.each(["t/0/1", "m/1/t", "am/1", "m/", ""])(
    "%j that begins anew ends no stream: it has no text of a model",
    (step) => {
      expect(toStreamFailure({ type: "reset", step } as never, part)).toBeUndefined();
    },
  );

  it("an event of a stored run that ends a run ends its stream with the run's error, if it has one", () => {
    const error = { code: "model_failed", message: "No.", status: 500 };
    const failure = toStreamFailure({ type: "end", error, output: { usage } } as never, whole);
    expect(failure).toMatchObject({ code: "model_failed", message: "No.", fields: { status: 500 } });
    expect(failure).toMatchObject({ output: { runId: "r", usage } });
    expect(toStreamFailure({ type: "end", status: "completed" } as never, part)).toBeUndefined();
    expect(toStreamFailure({ type: "wait", wait } as never, part)).toBeUndefined();
  });
});

describe("a failure as clients see it", () => {
  it("has the id of its run, and the usage that was billed, without the vendor's own object", () => {
    const stored = { usage: { ...usage, providerMetrics: { secret: 1 } } };
    const error = toStoredError({ code: "model_failed", message: "No." } as never, "r", stored);
    expect(error).toBeInstanceOf(RunError);
    expect(toPublicFailure(error)).toStrictEqual({ code: "model_failed", message: "No.", runId: "r", usage });
  });

  it.each([null, undefined, {}])("has no usage where nothing was billed: %j", (stored) => {
    const error = toStoredError({ code: "model_failed", message: "No." } as never, "r", stored);
    expect(toPublicFailure(error)).toStrictEqual({ code: "model_failed", message: "No.", runId: "r" });
  });

  it("has no id where there was no run", () => {
    expect(toPublicFailure(new TroupeError("not_found", "No."))).toStrictEqual({ code: "not_found", message: "No." });
  });
});
