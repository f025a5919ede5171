import { ApiError } from "@troupe-internal/client";
import type { StoredTurn } from "@troupe-internal/client";
import { describe, expect, it } from "vitest";
import { storedInMemory } from "../test/fake-services.ts";
import { endTurn } from "./end-turn.ts";
import type { TurnEnd } from "./end-turn.ts";
import { OpenRuns } from "./open-runs.ts";
import type { OpenRun } from "./open-runs.ts";
import { fromStoredTurn } from "./stored-turn.ts";
import { isUnderWay, newTurn, textOf } from "./turn.ts";
import type { Turn, TurnStatus } from "./turn.ts";

const asked = { text: "Où?", files: [] };
const turn: Turn = newTurn({ key: "k", kind: "agent", name: "a", question: asked, startedAt: 5 });
const stored = {
  ...newTurn({ key: "r", kind: "agent", name: "a", question: { text: "Où donc?", files: [] } }),
  status: "completed",
  runId: "r",
  seq: 3,
} as const;
const refused = (status: number) => new ApiError({ code: "x", message: "No.", vendor: "openai" }, status);
const gone = { code: "x", message: "The answer of this run is not there any more." };
const failure = { code: "x", message: "No.", vendor: "openai" };

describe("a turn whose run is over", () => {
  it.each<[string, Partial<Turn>, TurnEnd, Partial<Turn>]>([
    ["nothing is known", {}, {}, { status: "interrupted" }],
    ["it waited", { status: "waiting" }, {}, { status: "interrupted" }],
    ["it had ended", { status: "completed" }, {}, { status: "completed" }],
    ["it had failed", { status: "failed" }, { error: new Error("é") }, { failure: { code: "unknown", message: "é" } }],
    ["it is not stored", { status: "completed" }, { stored: null }, { isUnstored: true }],
    ["it is stored", { status: "completed" }, { stored }, { seq: 3, question: stored.question }],
    ["it is stored, and was under way", {}, { stored }, { status: "interrupted", seq: 3, question: stored.question }],
    ["its events were lost, but it is stored", {}, { stored, error: refused(500) }, { ...stored, key: "k" }],
    ["its request was refused", {}, { error: refused(401) }, { status: "failed", failure }],
    ["its request was refused with 404", {}, { error: refused(404) }, { status: "failed", failure }],
    ["its events are gone", { runId: "r" }, { error: refused(404) }, { status: "failed", failure: gone }],
    ["its events are no more", { runId: "r" }, { error: refused(410) }, { status: "failed", failure: gone }],
    ["its events failed", { runId: "r" }, { error: refused(500) }, { status: "failed", failure }],
    [
      "no vendor is known",
      {},
      { error: new ApiError({ code: "y", message: "é" }, 500), stored: null },
      { status: "failed", failure: { code: "y", message: "é" }, isUnstored: true },
    ],
  ])("and %s has its end", (...[, before, end, after]) => {
    const { isBroken: _, ...expected } = { ...turn, ...before, ...after } as Turn;
    const { startedAt, ...withoutStart } = expected;
    const isReplaced = end.stored !== null && end.stored !== undefined && end.error !== undefined;

    expect(endTurn({ ...turn, isBroken: true, ...before }, end)).toEqual(
      isReplaced ? withoutStart : { ...withoutStart, startedAt },
    );
  });
});

it.each<[TurnStatus, boolean]>([
  ["running", true],
  ["waiting", true],
  ["completed", false],
  ["failed", false],
  ["cancelled", false],
  ["interrupted", false],
])("a turn that is %s is under way: %s", (status, isOpen) => {
  expect(isUnderWay({ ...turn, status })).toBe(isOpen);
});

it("the text of an answer has its texts and those of its steps, each a paragraph, and nothing else", () => {
  expect(
    textOf([
      { type: "text", text: "é" },
      { type: "thinking", text: "t" },
      { type: "text", text: "" },
      {
        type: "step",
        name: "s",
        parts: [
          { type: "text", text: "b" },
          { type: "step", name: "u", parts: [] },
        ],
      },
      { type: "tool", id: "1", name: "t", args: "" },
      { type: "text", text: "c" },
    ]),
  ).toBe("é\n\nb\n\nc");
});

describe("a stored turn", () => {
  const base: StoredTurn = {
    seq: 3,
    runId: "r",
    runnable: "a",
    status: "completed",
    createdAt: 0,
    input: null,
    messages: [],
    usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
  };
  const show = (fields: Partial<StoredTurn>) =>
    fromStoredTurn({ ...base, ...fields }, { kindOf: (name) => (name === "a" ? "agent" : "team"), urlOf: () => "/u" });

  it.each<[StoredTurn["input"], object]>([
    [null, { text: "", files: [] }],
    ["é", { text: "é", files: [] }],
    [
      [
        { type: "text", text: "a" },
        { type: "file", stored: { index: 1, bytes: 4 } },
        { type: "text", text: "b" },
        { type: "text" },
      ],
      { text: "a\n\nb\n\n", files: [{ name: "file", type: "application/octet-stream", url: "/u" }] },
    ],
  ])("with the input %j asks %j", (input, question) => {
    expect(show({ input }).question).toEqual(question);
  });

  it("has its calls with and without results, its texts and its sources", () => {
    const call = (id: string) => ({ id, name: "f", arguments: { é: 1 } });
    const tool = (id: string, more: object = {}) => ({ type: "tool", id, name: "f", args: '{"é":1}', ...more });
    const shown = show({
      sources: [{ id: "s" }] as never,
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: "", toolCalls: [call("1"), call("2"), call("3")] },
        { role: "tool", content: "r", toolCallId: "1" },
        { role: "tool", content: "orphan" },
        { role: "tool", content: null, toolCallId: "2" },
        { role: "assistant", content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }] },
      ],
      toolResults: [{ toolCallId: "2", error: "No." }],
    });

    expect(shown).toMatchObject({ kind: "agent", sources: [{ id: "s" }], key: "r", seq: 3 });
    expect(shown.parts).toEqual([
      tool("1", { outcome: { result: "r" } }),
      tool("2", { outcome: { result: null, error: "No." } }),
      tool("3"),
      { type: "text", text: "a\n\nb" },
    ]);
  });
});

describe("the runs that a tab remembers", () => {
  const run = (id: number, fields: Partial<OpenRun> = {}): OpenRun => ({
    runId: `r${id}`,
    sessionId: `s${id}`,
    kind: "agent",
    name: "a",
    text: "é",
    files: [],
    ...fields,
  });

  it("are the newest 20, one for each session, and are forgotten when they end", () => {
    const kept = storedInMemory();
    const runs = new OpenRuns(kept);
    for (let id = 1; id <= 21; id++) runs.add(run(id));
    expect(runs.all().map(({ runId }) => runId)).toEqual(Array.from({ length: 20 }, (_, index) => `r${21 - index}`));
    runs.add(run(30, { sessionId: "s5" }));
    expect([runs.all().length, runs.find("s5")?.runId, runs.find("s1")]).toEqual([20, "r30", undefined]);
    runs.remove("r30");
    runs.remove("unknown");
    expect([runs.all().length, runs.find("s5")]).toEqual([19, undefined]);
    for (const { runId } of runs.all()) runs.remove(runId);

    expect([runs.all(), kept.value]).toEqual([[], undefined]);
  });

  it.each([
    [19_999, false],
    [20_000, false],
    [20_001, true],
  ])("have a question of %i characters; it is cut: %s", (length, isCut) => {
    const runs = new OpenRuns(storedInMemory());
    runs.add(run(1, { text: "é".repeat(length) }));

    expect(runs.find("s1")).toEqual(
      run(1, { text: "é".repeat(Math.min(length, 20_000)), ...(isCut && { isPartial: true as const }) }),
    );
  });

  it.each([
    ["no list", {}],
    ["a run without an id", [{ ...run(1), runId: 7 }]],
    ["a run without a session", [{ ...run(1), sessionId: undefined }]],
    ["a run without a kind", [{ ...run(1), kind: null }]],
    ["a run without a name", [{ ...run(1), name: 7 }]],
    ["a run without a text", [{ ...run(1), text: 7 }]],
    ["a run without files", [{ ...run(1), files: undefined }]],
    ["no run", [null]],
    ["one that is no run among others", [run(1), "x"]],
  ])("are none if the browser has stored %s", (_, value) => {
    const kept = storedInMemory();
    kept.value = value;

    expect(new OpenRuns(kept).all()).toEqual([]);
  });
});
