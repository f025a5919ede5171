import { Agent, defineTool, InMemoryStorage, Workflow } from "@troupe/core";
import type { Artifact, StreamChunk, ToolDef } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, readFrames } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";

const chart: Artifact = { type: "chart", data: [1], mimeType: "application/json" };
const draw: ToolDef = {
  name: "draw",
  description: "Draws.",
  parameters: { type: "object" },
  execute: () => ({ content: "drawn", artifacts: [chart] }),
};
const asks = {
  toolCalls: [
    { id: "1", name: "draw" },
    { id: "2", name: "drawn" },
  ],
};
const unknown = 'Tool "drawn" not found. Expected one of draw.';

function drawer(storage = new InMemoryStorage()): Agent {
  return new Agent({ name: "a", model: new ScriptedModel(asks, "Done."), tools: [draw], storage });
}

const isResult = ({ type }: StreamChunk) => type === "tool_result";
const results = [
  { type: "tool_result", toolCallId: "1", toolName: "draw", result: "drawn", artifacts: [chart] },
  { type: "tool_result", toolCallId: "2", toolName: "drawn", result: unknown, error: unknown },
];

const fails = (publicErrors: boolean | undefined): ToolDef => ({
  ...draw,
  execute: () => {
    throw new Error("connect postgres://ada:secret@db");
  },
  publicErrors,
});

/** Each way to make a tool. */
const ways: [string, (tool: ToolDef) => ToolDef][] = [
  ["an object", (tool) => tool],
  ["defineTool", (tool) => defineTool(tool)],
];

/** Asks an agent over HTTP in each way, and returns all that a client is told. */
async function tellAll(tool: ToolDef): Promise<{ told: string; model: ScriptedModel }> {
  const model = new ScriptedModel(asks, "Done.", asks, "Done.", asks, "Done.");
  const agent = new Agent({ name: "a", model, tools: [tool], storage: new InMemoryStorage() });
  const steps = [{ name: "ask", agent }];
  const service = await serve({ agent, workflow: new Workflow({ name: "w", initialState: {}, steps }) });
  const body = JSON.stringify({ input: "Draw.", sessionId: "s" });
  const answers = [
    await post(service, "/agents/a/run", { body }),
    await post(service, "/agents/a/stream", { body }),
    await post(service, "/workflows/w/stream", { body: '{"input":"Draw."}' }),
    await fetch(`${service.url}/sessions/s/turns`),
  ];
  return { told: (await Promise.all(answers.map((answer) => answer.text()))).join("\n"), model };
}

describe("the results of tools over HTTP", () => {
  it.each([undefined, false])(
    "tell the model alone what a tool has thrown, with publicErrors %s [tool.public-errors]",
    async (publicErrors) => {
      const { told, model } = await tellAll(fails(publicErrors));

      expect(JSON.stringify(model.calls[1]?.messages)).toContain("The tool draw failed: connect postgres://ada:secret");
      expect(told).not.toContain("postgres");
      expect(told.match(/"error":"The tool draw failed\."/g)).toHaveLength(5);
      expect(told.match(/"(?:result|content)":"The tool draw failed\."/g)).toHaveLength(5);
    },
  );

  it.each(ways)(
    "tell clients too what a tool with publicErrors has thrown, made by %s [tool.public-errors]",
    async (_, make) => {
      const { told } = await tellAll(make(fails(true)));

      expect(told.match(/"error":"The tool draw failed: connect postgres:\/\/ada:secret@db"/g)).toHaveLength(5);
    },
  );

  it("are events of a stream, of an agent and of a workflow's step [http.tool-results]", async () => {
    const steps = [{ name: "ask", agent: drawer() }];
    const service = await serve({ agent: drawer(), workflow: new Workflow({ name: "w", initialState: {}, steps }) });

    const chunks = (await readFrames(await post(service, "/agents/a/stream"))).map(({ data }) => data as StreamChunk);
    const events = await readFrames(await post(service, "/workflows/w/stream", { body: '{"input":"Draw."}' }));

    const inSteps = events.flatMap(({ data }) => ("chunk" in data ? [data.chunk as StreamChunk] : []));
    for (const shown of [chunks, inSteps]) {
      const found = shown
        .filter(isResult)
        .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
      expect(found).toEqual(results.map((result) => ({ ...result, durationMs: expect.any(Number) })));
    }
  });

  it("leave their artifacts in the answer and in the turns of the session [http.tool-results]", async () => {
    const service = await serve({ agent: drawer() });
    const body = JSON.stringify({ input: "Draw.", sessionId: "s" });

    const answer = await (await post(service, "/agents/a/run", { body })).json();
    const { turns } = (await (await fetch(`${service.url}/sessions/s/turns`)).json()) as { turns: unknown };

    expect(answer).toMatchObject({ artifacts: [{ ...chart, toolCallId: "1", toolName: "draw" }] });
    expect(turns).toMatchObject([
      {
        toolResults: [
          { toolCallId: "1", toolName: "draw", artifacts: [chart] },
          { toolCallId: "2", toolName: "drawn", error: unknown },
        ],
      },
    ]);
  });
});
