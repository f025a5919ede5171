import type { Json } from "@troupe/core";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readEvents } from "./read-events.ts";
import { performRun, serveRuns } from "./runs.ts";
import { servePage } from "./serve-page.ts";

describe("what the inspector sends", () => {
  it("is of bounded size, however long and deep what a tool returns is [page.inspector-bounds]", async () => {
    let deep: Json = "end";
    for (let depth = 0; depth < 50; depth++) deep = depth % 2 === 0 ? [deep] : { in: deep };
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field ${index}`, "x".repeat(100)]));
    const huge = defineTool({
      name: "huge",
      description: "Returns much.",
      parameters: { type: "object" },
      execute: () => ({
        content: "long ".repeat(20_000),
        artifacts: [{ type: "data", data: { wide, deep, file: "QUJD".repeat(20_000) } }],
      }),
    });
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "Much. ".repeat(6000) }
        : { toolCalls: [{ name: "huge", arguments: {} }] },
    );
    const runs = await serveRuns({ agents: { agent: new Agent({ name: "agent", model, tools: [huge] }) } });
    const runId = await performRun(runs, { kind: "agent", name: "agent", input: "Long. ".repeat(20_000) });
    const origin = await servePage({ inspector: { runs } });

    const details = await (await fetch(`${origin}/inspector/runs/${runId}`)).text();
    const events = await readEvents(`${origin}/inspector/runs/${runId}/events`);

    expect(details.length).toBeLessThan(100_000);
    for (const { event } of events) expect(JSON.stringify(event).length, event.type).toBeLessThan(200_000);
    const done = events.find(({ event }) => event.type === "done" && event.step === "t/0/0");
    expect(JSON.stringify(done)).toContain("more characters");
  });
});
