import { describe, expect, it } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { findRunnables, shownOf, suggestionsFor } from "./find-runnables.ts";

const clerk: RunnableInfo = { kind: "agent", name: "clerk", description: "Files Élan's letters.", input: ["text"] };
const poet: RunnableInfo = { kind: "agent", name: "poet", input: ["text"] };
const desk: RunnableInfo = { kind: "team", name: "desk", description: "Asks the poet.", input: ["text"] };
const flow: RunnableInfo = { kind: "workflow", name: "flow", input: ["object"] };
const all = [flow, clerk, desk, poet];

const found = (query: string) =>
  findRunnables(all, query).map(({ heading, members }) => `${heading}: ${members.map(({ name }) => name).join(", ")}`);

describe("the search for runnables", () => {
  it.each([
    ["", ["Agents: clerk, poet", "Teams: desk", "Workflows: flow"]],
    ["  ", ["Agents: clerk, poet", "Teams: desk", "Workflows: flow"]],
    ["POET", ["Agents: poet", "Teams: desk"]],
    ["elan", ["Agents: clerk"]],
    ["letters élan", ["Agents: clerk"]],
    ["poet letters", []],
    ["toString", []],
  ])("finds for %j %j", (query, groups) => {
    expect(found(query)).toEqual(groups);
  });
});

describe("the runnables that a host shows", () => {
  const namesake: RunnableInfo = { kind: "workflow", name: "desk", input: ["object"] };

  it.each([
    [undefined, [flow, clerk, desk, poet, namesake]],
    [
      ["poet", "flow"],
      [poet, flow],
    ],
    [["desk"], [desk, namesake]],
    [["gone"], []],
  ])("are with the names %j in this order", (names, shown) => {
    expect(shownOf([...all, namesake], names)).toEqual(shown);
  });
});

describe("the suggestions of a new chat", () => {
  const suggestions = {
    clerk: ["a", "b"],
    poet: ["verse", "more"],
    desk: ["a", "b2"],
    flow: ['{"x":1}'],
  };
  const shown = (chosen: RunnableInfo | undefined, given: Record<string, readonly string[]> = suggestions) =>
    suggestionsFor(chosen, all, given).map(({ text, runnable }) => `${runnable.name}: ${text}`);

  it("are those of the chosen runnable, and one of each other that is no workflow", () => {
    expect(shown(clerk)).toEqual(["clerk: a", "clerk: b", "poet: verse"]);
    expect(shown(undefined)).toEqual(["clerk: a", "poet: verse"]);
    expect(shown(flow)).toEqual(["flow: x: 1", "clerk: a", "poet: verse"]);
  });

  it.each([3, 4, 5])("are at most four of %i", (count) => {
    const texts = Array.from({ length: count }, (_, number) => `é ${number}`);

    expect(shown(poet, { poet: texts })).toHaveLength(Math.min(count, 4));
  });

  it("are none for a name that only objects have", () => {
    expect(shown({ ...poet, name: "constructor" }, {})).toEqual([]);
  });
});
