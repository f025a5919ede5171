import type { RunEvent } from "@troupe-internal/client";
import { describe, expect, it } from "vitest";
import { reduceEvents, restartTurn } from "./reduce-turn.ts";
import { newTurn } from "./turn.ts";
import type { Turn } from "./turn.ts";

const asked = newTurn({ key: "t", kind: "agent", name: "helper", question: { text: "Oslo?", files: [] } });
const broken: Turn = { ...asked, isBroken: true };
const failure = { code: "internal", message: "No." } as const;
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

const cases: [title: string, events: RunEvent[]][] = [
  ["text", [{ type: "text", text: "It rains." }]],
  ["an empty text", [{ type: "text", text: "" }]],
  ["a tool call", [{ type: "tool_call_start", toolCall: { id: "c1", name: "weather" } }]],
  ["a step", [{ type: "step_start", step: "plan" }]],
  ["the end", [{ type: "finish", usage }]],
  ["a failure", [{ type: "error", error: failure }]],
  ["an event that the page does not know", [{ type: "later" } as unknown as RunEvent]],
  [
    "several events",
    [
      { type: "text", text: "It " },
      { type: "text", text: "rains." },
    ],
  ],
];

describe("a turn whose connection was broken", () => {
  it.each(cases)("is not broken any more once events have come back: %s", (_, events) => {
    const turn = reduceEvents(broken, events);

    expect(turn).not.toHaveProperty("isBroken");
    expect(turn.parts).toEqual(reduceEvents(asked, events).parts);
    expect(turn.status).toBe(reduceEvents(asked, events).status);
  });

  it("is not broken any more once its answer starts again", () => {
    expect(restartTurn(broken)).not.toHaveProperty("isBroken");
  });
});
