import { describe, expect, it } from "vitest";
import { isInterrupted, isTerminal, lastMessages, mayMove } from "./task.ts";
import type { A2AMessage, A2ATaskState } from "./task.ts";

const terminal = ["completed", "canceled", "failed", "rejected"] as const;
const open = ["submitted", "working", "input-required", "auth-required"] as const;
const all: readonly A2ATaskState[] = [...open, ...terminal];

describe("states of a task", () => {
  it("a terminal state never changes again, and every open one may end in each of them", () => {
    for (const state of terminal) {
      expect(isTerminal(state)).toBe(true);
      expect(all.filter((next) => mayMove(state, next))).toEqual([]);
    }
    for (const state of open) {
      expect(isTerminal(state)).toBe(false);
      expect(terminal.filter((next) => mayMove(state, next))).toEqual([...terminal]);
    }
  });

  it.each([
    ["submitted", ["working", "input-required", "auth-required"]],
    ["working", ["working", "input-required", "auth-required"]],
    ["input-required", ["working"]],
    ["auth-required", ["working"]],
  ] as const)("a task that is %s may go on as %j", (state, next) => {
    expect(open.filter((to) => mayMove(state, to))).toEqual(next);
  });

  it("no task goes back to submitted, and an interrupted one goes on as working", () => {
    for (const state of all) expect(mayMove(state, "submitted")).toBe(false);
    expect(all.filter(isInterrupted)).toEqual(["input-required", "auth-required"]);
    for (const state of all.filter(isInterrupted)) {
      expect(open.filter((next) => mayMove(state, next))).toEqual(["working"]);
    }
  });
});

describe("history of a task", () => {
  const history = ["a", "b", "c"].map((messageId): A2AMessage => ({ messageId, role: "user", parts: [] }));

  it("is cut to its last messages", () => {
    const idsOf = (length?: number): string[] => lastMessages(history, length).map(({ messageId }) => messageId);
    expect(idsOf()).toEqual(["a", "b", "c"]);
    expect(idsOf(0)).toEqual([]);
    expect(idsOf(1)).toEqual(["c"]);
    expect(idsOf(2)).toEqual(["b", "c"]);
    expect(idsOf(9)).toEqual(["a", "b", "c"]);
  });
});
