import { createElement } from "preact";
import { describe, expect, it } from "vitest";
import type { DeclaredStep } from "../../../src/inspector/inspected-run.ts";
import { showOnPage } from "../../test/fake-page.ts";
import type { FakeElement } from "../../test/fake-page.ts";
import type { NodeStatus, RunTree, TreeStep } from "../run-tree.ts";
import { countByStatus, partToShow } from "./graph-model.ts";
import { WorkflowGraph } from "./workflow-graph.tsx";

function step(key: string, fields: Partial<TreeStep> = {}): TreeStep {
  return { key, kind: "step", name: key, status: "completed", attempt: 1, children: [], ...fields };
}

function part(number: number, status: NodeStatus, children: readonly TreeStep[] = []): TreeStep {
  return step(`w/each/${number}`, { kind: "part", name: `Item ${number + 1}`, status, children });
}

function show(declared: readonly DeclaredStep[], steps: readonly TreeStep[]) {
  const told: string[] = [];
  const tree: RunTree = { steps, attempts: [], startMs: 0, isOver: false };
  const onSelect = (key: string) => void told.push(key);
  const shown = showOnPage((props: Parameters<typeof WorkflowGraph>[0]) => createElement(WorkflowGraph, props), {
    declared,
    tree,
    now: 5000,
    selected: undefined,
    onSelect,
  });
  const withSteps = (next: readonly TreeStep[]) => shown.showWith({ tree: { ...tree, steps: next } });
  return { ...shown, told, withSteps };
}

/** Returns the text of each step in the graph, in its order. */
function cards(body: FakeElement): string[] {
  return body
    .all("*")
    .filter(({ attributes }) => attributes["class"] === "graph-step")
    .map(({ localName, text }) => `${localName}: ${text}`);
}

describe("the graph of a workflow", () => {
  it("has a button for each step that has begun, and a text for others [page.workflow-graph]", () => {
    const declared = [
      { name: "a", kind: "function" },
      { name: "b", kind: "agent", runnable: "poet" },
      { name: "c", kind: "ask" },
      { name: "d", kind: "of a later release" },
    ];
    const { body, told } = show(declared, [
      step("w/a", { durationMs: 1500 }),
      step("w/b", { status: "running", startMs: 3000 }),
    ]);

    expect(cards(body)).toEqual([
      "button: afunction1.5 scompleted",
      "button: bagent poet2.0 srunning",
      "div: casks a personnot run",
      "div: dof a later releasenot run",
    ]);
    body.all("button")[1]?.fire("click");
    expect(told).toEqual(["w/b"]);
  });

  it("shows control characters of names and keys as such [page.workflow-graph]", () => {
    const declared = [
      { name: "a\u202eb", kind: "choose\u202e", runnable: "x\u202e" },
      { name: "in", kind: "function", within: "a\u202eb", case: "k\u202e" },
    ];
    const { body } = show([...declared, { name: "<img src=x>", kind: "choose" }], []);

    expect(body.text).not.toContain("\u202e");
    expect(body.all("img")).toEqual([]);
  });

  it("shows the item under way and, once the user has chosen one, that item [page.workflow-graph]", () => {
    const declared = [
      { name: "each", kind: "forEach" },
      { name: "in", kind: "function", within: "each" },
    ];
    const inner = (number: number) => step(`w/each/${number}/w/in`, { durationMs: number });
    const parts = [
      part(0, "completed", [inner(0)]),
      part(1, "failed"),
      part(2, "running", [inner(2)]),
      part(3, "skipped"),
    ];
    const { body, told, withSteps } = show(declared, [step("w/each", { status: "running", children: parts })]);

    expect(cards(body)).toEqual(["button: eachfor eachrunning", "button: infunction2 mscompleted"]);
    expect(body.text).toContain("Item 3 of 3running");
    expect(body.text).toContain("1 completed, 1 failed, 1 running");
    body.one("Next").fire("click");
    expect(told).toEqual([]);
    body.one("Previous").fire("click");
    expect(body.text).toContain("Item 2 of 3failed");
    expect(cards(body)[1]).toBe("div: infunctionnot run");
    body.one("Previous").fire("click");
    body.one("Previous").fire("click");
    expect([body.text.includes("Item 1 of 3"), told]).toEqual([true, ["w/each/1", "w/each/0"]]);

    withSteps([step("w/each", { children: [...parts.slice(0, 3), part(4, "running")] })]);
    expect(body.text).toContain("Item 1 of 4");
    withSteps([step("w/each")]);
    expect(cards(body)).toEqual(["button: eachfor eachcompleted", "div: infunctionnot run"]);
  });

  it.each<[statuses: NodeStatus[], index: number]>([
    [["completed", "completed"], 1],
    [["failed", "completed", "failed"], 0],
    [["failed", "waiting", "completed"], 1],
    [["running", "waiting", "completed"], 1],
    [[], -1],
  ])("chooses among parts that are %j the one at %i", (statuses, index) => {
    expect(partToShow(statuses.map((status) => part(0, status)))).toBe(index);
    expect(countByStatus([])).toBe("");
  });

  it("draws as many marks as there are items, up to a hundred [page.workflow-graph]", () => {
    const marks = [99, 100, 101].map((count) => {
      const children = Array.from({ length: count }, (_, number) => part(number, "completed"));
      const { body, close } = show([{ name: "each", kind: "forEach" }], [step("w/each", { children })]);
      const drawn = body.all("i").length;
      close();
      return drawn;
    });

    expect(marks).toEqual([99, 100, 100]);
  });
});
