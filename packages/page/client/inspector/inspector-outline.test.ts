import { createElement, Fragment } from "preact";
import type { ComponentChild } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { showOnPage } from "../test/fake-page.ts";
import { outlinePage } from "../test/outline-page.ts";
import { tellStory } from "../test/story.ts";
import type { Act } from "../test/story.ts";
import type { RunTree, TreeStep } from "./run-tree.ts";
import { StepDetails } from "./step-details.tsx";
import { StepTree } from "./step-tree.tsx";
import { ValueView } from "./value-view.tsx";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const step = (key: string, fields: Partial<TreeStep> = {}): TreeStep => ({
  key,
  kind: "model",
  name: `é ${key}`,
  status: "completed",
  attempt: 1,
  children: [],
  ...fields,
});

const kinds = ["model", "tool", "member", "agent", "step", "retry", "input", "guardrail", "wait", "other"] as const;
const details = (fields: Partial<TreeStep>) =>
  createElement(StepDetails, { step: step("k", fields), onClose: () => {} });

const inner = [
  step("a/1", { startMs: 1000, durationMs: 300, endMs: 1300, usage }),
  step("a/2", { kind: "wait", status: "waiting", startMs: 1300, detail: "x\u202e" }),
];
const steps = [
  step("a", { kind: "tool", children: inner, startMs: 1000, status: "waiting" }),
  step("b", { status: "failed", startMs: 1500, isStartEstimated: true, durationMs: 10, endMs: 1510 }),
  step("c", { status: "running", startMs: 1900 }),
  step("d", { status: "skipped" }),
];
const tree: RunTree = { steps, attempts: [], startMs: 1000, isOver: false };
const deep = (depth: number): TreeStep =>
  step(`d${depth}`, { kind: kinds[depth % 10] ?? "other", children: depth === 14 ? [] : [deep(depth + 1)] });

const views: Readonly<Record<string, ComponentChild>> = {
  "a tree, with a wait, an estimate, and a step under way": createElement(StepTree, {
    tree,
    now: 2000,
    selected: "b",
    onSelect: () => {},
  }),
  "a tree with a long pause": createElement(StepTree, {
    tree: {
      ...tree,
      steps: [step("a", { startMs: 1000, endMs: 2000 }), step("b", { startMs: 62_000, endMs: 63_000 })],
      endMs: 63_000,
    },
    now: 0,
    selected: undefined,
    onSelect: () => {},
  }),
  "a deep tree of every kind": createElement(StepTree, {
    tree: { ...tree, steps: [deep(0)] },
    now: 2000,
    selected: undefined,
    onSelect: () => {},
  }),
  "details of each kind": kinds.map((kind) => details({ kind, input: "in", detail: "d" })),
  "details of each kind without an input": kinds.map((kind) => details({ kind })),
  "all details": details({
    name: "a\u202eb",
    status: "failed",
    error: { code: "x\u202e", message: "No.\u202e" },
    startMs: 0,
    durationMs: 1500,
    usage,
    effect: "once",
    attempt: 2,
    wait: { waitId: "w", kind: "sleep", about: null, until: 1000 },
    input: { a: 1 },
    thinking: "Hm.",
    output: ["é"],
    liveText: "so far",
  }),
  "details of a first attempt whose start is a guess": details({ startMs: 0, isStartEstimated: true, attempt: 1 }),
  "values short, long and empty": [
    "",
    "é\u202e",
    { a: 1 },
    Array(14).fill("x").join("\n"),
    Array(15).fill("x").join("\n"),
    "y".repeat(1400),
    "y".repeat(1401),
  ].map((value) => createElement(ValueView, { value, name: "Output" })),
};

const stringOf = (kind: string) =>
  function shown(this: number | Date, ...given: unknown[]): string {
    return `<${kind} ${Number(this)}${given.length > 0 ? ` ${JSON.stringify(given)}` : ""}>`;
  };

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000 });
  vi.stubGlobal("document", { activeElement: null, body: {}, hidden: false });
  vi.spyOn(Number.prototype, "toLocaleString").mockImplementation(stringOf("count"));
  vi.spyOn(Date.prototype, "toLocaleString").mockImplementation(stringOf("time"));
  vi.spyOn(Date.prototype, "toLocaleTimeString").mockImplementation(stringOf("clock"));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

// What people see, but for its look. If a change is meant, write the outlines anew by `vitest --update`.
describe("the inspector", () => {
  it("shows steps, their details and values like this", async () => {
    const { body, showWith } = showOnPage<{ child: ComponentChild }>(({ child }) => child, { child: null });
    const outlines = Object.entries(views).map(([title, child], index) => {
      showWith({ child: createElement(Fragment, { key: index }, child) });
      return `# ${title}\n${outlinePage(body)}`;
    });

    await expect(`${outlines.join("\n\n")}\n`).toMatchFileSnapshot("../test/outlines/inspector.txt");
  });

  it("opens a value, and steps by clicks and keys, like this", async () => {
    const told: string[] = [];
    const value = await tellStory(createElement(ValueView, { value: "y".repeat(1401), name: "Output" }), {
      "open it": (body) => body.all("button").at(-1)?.fire("click"),
      "close it": (body) => body.all("button").at(-1)?.fire("click"),
    });
    const onSelect = (key: string) => void told.push(`selected ${key}`);
    const stopped = vi.fn<() => void>();
    const twist = (at: number) => (body: Parameters<Act>[0]) =>
      body.all("li")[at]?.all("span")[1]?.fire("click", { stopPropagation: stopped });
    const walked = await tellStory(
      createElement(StepTree, { tree, now: 2000, selected: "a", onSelect }),
      {
        "click the second": (body) => body.all("li")[1]?.fire("click"),
        "close the first": twist(0),
        "open the first": twist(0),
        "the twist of one without steps": twist(1),
        "key down": (body) => body.one("Steps").fire("keydown", { key: "ArrowDown" }),
        "key left": (body) => body.one("Steps").fire("keydown", { key: "ArrowLeft" }),
        "key right": (body) => body.one("Steps").fire("keydown", { key: "ArrowRight" }),
        "another key": (body) => body.one("Steps").fire("keydown", { key: "x" }),
      },
      told,
    );

    expect(stopped).toHaveBeenCalledTimes(3);
    await expect(`${value}\n\n${walked}\n`).toMatchFileSnapshot("../test/outlines/inspector-acts.txt");
  });
});
