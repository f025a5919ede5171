import type { ComponentChild } from "preact";
import { createElement, Fragment } from "preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { outlinePage } from "../test/outline-page.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { DataView } from "../ui/data-view.tsx";
import { ArtifactView, ResultView } from "./artifact-view.tsx";
import { PartList } from "./part-view.tsx";
import { ToolCard } from "./tool-card.tsx";
import { TurnView } from "./turn-view.tsx";
import { newTurn } from "./turn.ts";
import type { AnswerPart, ToolPart, Turn } from "./turn.ts";

const onAnswer = async (): Promise<void> => await Promise.resolve();
const tool: ToolPart = { type: "tool", id: "c", name: "weather", args: '{"city":"Oslo","nights":2}' };
const wait = { waitId: "w", kind: "approval", about: { toolName: "weather", args: { city: "é" } } } as const;
const image = "iVBORw0KGgo=";
const long = "é".repeat(4001);

const card = (fields: Partial<ToolPart>, isLive = false) =>
  createElement(ToolCard, { tool: { ...tool, ...fields }, isLive, onAnswer });
const member = (fields: Partial<ToolPart>, isLive = false) =>
  list([{ ...tool, name: "delegate_to_poet", ...fields }], isLive);
const list = (parts: readonly AnswerPart[], isLive = false) => createElement(PartList, { parts, isLive, onAnswer });
const result = (given: unknown) => createElement(ResultView, { result: given });
const artifact = (type: string, data: unknown, mimeType?: string) =>
  createElement(ArtifactView, { artifact: { type, data, ...(mimeType !== undefined && { mimeType }) } as never });

const base = newTurn({ key: "k", kind: "agent", name: "helper", question: { text: "Où?", files: [] } });
const turn = (fields: Partial<Turn>, more: { mayRegenerate?: boolean; isLast?: boolean } = {}) =>
  createElement(TurnView, {
    turn: { ...base, ...fields },
    actions: { regenerate: () => undefined, answer: onAnswer },
    mayRegenerate: true,
    isLast: true,
    ...more,
  });
const source = (url: string | undefined, title?: string) =>
  ({ id: `s${url}`, ...(url !== undefined && { url }), ...(title !== undefined && { title }) }) as never;

/** The look of each part of an answer, in each of its states. */
const views: Readonly<Record<string, ComponentChild>> = {
  "a step of an item": list([{ type: "step", name: "cities/0/look up", parts: [], status: "completed" }]),
  "a call that runs": card({}, true),
  "a call without a result": card({}),
  "a call without arguments": card({ args: "" }),
  "a call whose arguments arrive": card({ args: '{"city":' }, true),
  "a call whose arguments are no object": card({ args: "[1]" }),
  "a call with many and long arguments": card({
    args: JSON.stringify({ a: "x".repeat(61), b: { c: 1 }, d: 1, e: 2, f: 3, g: 4, h: 5 }),
  }),
  "a call whose arguments are long and no JSON": card({ args: "x".repeat(81) }),
  "a call with a result": card({ outcome: { result: "rain", durationMs: 41 } }),
  "a call with a result of data": card({ outcome: { result: { a: [1] } } }),
  "a call with a result in parts": card({
    outcome: { result: [{ type: "text", text: "é" }, { type: "image", data: image, mimeType: "image/png" }, 7] },
  }),
  "a call that failed": card({ outcome: { result: null, error: "No." } }, true),
  "a call that waits": card({ wait, outcome: { result: "x" } }, true),
  "a call with progress": card({ progress: { done: "half" } }, true),
  "a member that speaks": member({ name: "delegate_to_poet\u202e", progress: 1, said: "So **far**" }, true),
  "a member without an answer": member({}),
  "a member that answered": member({
    args: '{"task":"Ask\u202e\nfor rain."}',
    outcome: { result: "é", durationMs: 41 },
  }),
  "a member that answered in parts": member({ args: "{}", outcome: { result: [{ text: "a" }, { type: "image" }, 7] } }),
  "a member that answered with data": member({ args: "[1]", outcome: { result: { a: 1 } } }),
  "a member that failed": member({ args: '{"round":2}', outcome: { result: null, error: "No.\u202e" } }),
  "a member that waits": member({ wait }, true),
  "a member with an artifact": member({ outcome: { result: "", artifacts: [{ type: "a", data: 1 }] as never } }),
  "a member that agrees": member({ args: '{"round":1,"vote":true}', outcome: { result: '{"agree": true}' } }),
  "a member that does not agree": member({
    args: '{"round":3,"vote":true}',
    outcome: { result: ' {"agree":false,"reason":"It <b>rains</b>."}' },
  }),
  "a vote of no known form": member({ outcome: { result: '{"agree":"yes"}' } }),
  "a delegation to nobody": list([{ ...tool, name: "delegate_to_" }]),
  "a question that is passed on": list([{ type: "text", text: "Là.", speaker: "poet\u202e" }]),
  "a call with artifacts": card({
    outcome: {
      result: "",
      artifacts: [
        { type: "chart", data: image, mimeType: "image/png" },
        { type: "a", data: 1 },
      ] as never,
    },
  }),
  "an image of each drawable type": ["png", "jpeg", "gif", "webp", "avif", "svg+xml", "pngx"].map((kind) =>
    artifact(kind, image, `image/${kind}`),
  ),
  "an image at an address, and one that is no text": [
    artifact("a", "https://e.x/a.png", "image/png"),
    artifact("b", { a: 1 }, "image/png"),
    artifact("c", `${"A".repeat(200)}!`, "image/png"),
    artifact("d", `${"A".repeat(199)}!`, "image/png"),
  ],
  "an artifact of text up to its bound, and above": [
    artifact("a\u202eb", long.slice(1)),
    artifact("b", long, "text/é"),
  ],
  "artifacts that are tables, Markdown, and none of them": [
    artifact("a\u202eb", [{ "é\u202e": "<b>", b: 1 }, { b: null }]),
    artifact("b", 'x,"y\u202e"\n1,2', "text/csv"),
    artifact("d", "**é** <b>", "text/markdown"),
    artifact("e", { a: 1 }, "text/markdown"),
  ],
  "a call that found passages": card({
    outcome: { result: 'Cite.\n\n[1] "A\u202e" (page 4)\n<b>é</b>\u202e\n\n[12] "B"\nTwo.' },
  }),
  "a search that failed": card({ outcome: { result: '[1] "A"\nx', error: "No." } }),
  "a result of text, of data and of parts": [
    result("é"),
    result(undefined),
    result([]),
    result([
      { type: "text", text: "a" },
      { type: "file", data: "b", mimeType: "text/plain", filename: "é.txt" },
    ]),
    result([{ type: "text" }]),
    result([{ type: "text", text: "a" }, "b"]),
    result([{ text: "a" }]),
    result([
      { type: "image", data: image, mimeType: "image/png" },
      { type: "x", data: undefined },
    ]),
  ],
  "texts, of members and of data": list([
    { type: "text", text: "**a**" },
    { type: "text", text: "b", speaker: "po\u202eet" },
    { type: "text", text: ' {"a":1}' },
    { type: "text", text: "[1]" },
    { type: "text", text: "[a]" },
    { type: "text", text: "7" },
  ]),
  "texts of data that arrive": list(
    [
      { type: "text", text: "[1]" },
      { type: "text", text: "[2]" },
    ],
    true,
  ),
  "thoughts that arrive, and earlier ones": list(
    [
      { type: "thinking", text: "a" },
      { type: "thinking", text: "b" },
    ],
    true,
  ),
  "a question of no call": list([{ type: "wait", wait: { waitId: "w", kind: "sleep", about: null } }]),
  "steps in each state": list([
    { type: "step", name: "on\u202ee", parts: [{ type: "text", text: "a" }], status: "completed", durationMs: 1500 },
    { type: "step", name: "b", parts: [], status: "skipped", durationMs: 0.5 },
    { type: "step", name: "c", parts: [], status: "error", durationMs: 1 },
    { type: "step", name: "d", parts: [], status: "cancelled" },
    { type: "step", name: "e", parts: [tool] },
  ]),
  "steps of an answer that arrives": list(
    [
      { type: "step", name: "a", parts: [tool, { type: "text", text: "[1]" }] },
      { type: "step", name: "b", parts: [tool], status: "completed" },
      tool,
      { type: "thinking", text: "a" },
    ],
    true,
  ),
  "a state without what its steps said": list([
    {
      type: "step",
      name: "a",
      parts: [
        { type: "text", text: "é" },
        { type: "step", name: "b", parts: [{ type: "text", text: "in" }] },
      ],
    },
    { type: "step", name: "empty", parts: [] },
    { type: "state", state: { a: "é\n\nin", b: "in", empty: "", c: "é", a2: 1 } },
  ]),
  "a state that is no object": list([{ type: "state", state: "é" }]),
  "code, and data": [
    createElement(CodeBlock, { text: "a", language: "json", whole: "abc" }),
    createElement(CodeBlock, { text: "a" }),
    createElement(DataView, { value: {} }),
    createElement(DataView, { value: [1] }),
    createElement(DataView, { value: { a: 1, b: null, c: { d: 1 }, e: "é", f: [] } }),
  ],
  "a turn that was just sent": turn({}),
  "a turn whose answer arrives": turn({ parts: [{ type: "text", text: "a" }] }),
  "a turn whose connection broke": turn({ isBroken: true }),
  "a turn that waits": turn({ status: "waiting", kind: "team" }),
  "a turn without a question": turn({ status: "completed", question: { text: "", files: [] } }),
  "a turn with only files": turn({ status: "completed", question: { text: "", files: [{ name: "a", type: "b" }] } }),
  "a turn that is over": turn({
    status: "completed",
    parts: [{ type: "text", text: "a" }],
    usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
    firstTokenMs: 300,
    durationMs: 2100,
    sources: [
      source("https://e.x/a", "A\u202e"),
      source("https://e.x/b"),
      { ...(source("https://e.x/p") as object), place: "page 4\u202e", passage: "<b>é</b>\u202e\n\nx" } as never,
      { id: "long", passage: `${"y".repeat(1500)}z` },
      source("javascript:x", "c"),
      source(undefined),
    ],
  }),
  "a turn that may not be asked again": turn({ status: "completed" }, { mayRegenerate: false }),
  "a turn before others": turn({ status: "completed" }, { isLast: false }),
  "a turn that was stopped": turn({ status: "cancelled", isUnstored: true }),
  "a turn that was cut off": turn({ status: "interrupted" }),
  "a turn that failed": turn({ status: "failed", failure: { code: "unauthorized", message: "No.", vendor: "openai" } }),
  "a turn that failed by a vendor that is not known": turn({
    status: "failed",
    failure: { code: "unauthorized", message: "No.", vendor: "x" },
  }),
};

beforeEach(() => {
  vi.stubGlobal("document", { activeElement: null, body: {} });
  vi.spyOn(Number.prototype, "toLocaleString").mockImplementation(function shown(this: number) {
    return `<${this}>`;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

// What people see, but for its look. If a change is meant, write the outline anew by `vitest --update`.
it("the parts of an answer are shown like this", async () => {
  const { body, showWith } = showOnPage<{ child: ComponentChild }>(({ child }) => child, { child: null });
  const outlines = Object.entries(views).map(([title, child], index) => {
    showWith({ child: createElement(Fragment, { key: index }, child) });
    return `# ${title}\n${outlinePage(body)}`;
  });

  await expect(`${outlines.join("\n\n")}\n`).toMatchFileSnapshot("../test/outlines/answers.txt");
});
