import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { scripted, weatherTool, weatherTurns } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

const hi: { role: "user"; content: string }[] = [{ role: "user", content: "Hi" }];

describe("a chat completion", () => {
  it("shows the agent's own tools as status lines, and never as calls for the client", async () => {
    const { tool, asked } = weatherTool();
    const { agent } = scripted(weatherTurns, { tools: [tool] });
    const { client } = await serve({ agents: { helper: agent } });
    const stream = client.chat.completions.stream({ model: "helper", messages: hi });
    const chunks = await readAll(stream);
    expect(await stream.finalContent()).toBe("Let me see.\n\nIt rains.");
    const events = chunks.flatMap((chunk) => ("event" in chunk ? [chunk.event] : []));
    expect(events).toEqual([
      { type: "status", data: { description: "weather", done: false } },
      { type: "status", data: { description: "weather", done: true } },
    ]);
    expect(JSON.stringify(chunks)).not.toContain("tool_calls");
    expect(asked).toEqual([{ city: "Oslo" }]);
  });

  it("runs the client's own tools with runTools of the library, and goes on with their results", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: { zone: "UTC" } }] }, "It is noon.");
    const { client } = await serve({ agents: { helper: new Agent({ name: "helper", model }) } });
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: "helper",
      messages: [{ role: "user", content: "What time is it?" }],
      tools: [
        {
          type: "function",
          function: {
            name: "get_time",
            description: "Tells the time.",
            parameters: { type: "object", properties: { zone: { type: "string" } } },
            parse: JSON.parse,
            function: (args: object) => {
              seen.push(args);
              return "12:00";
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("It is noon.");
    expect(seen).toEqual([{ zone: "UTC" }]);
    expect(model.calls[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "12:00" });
  });

  it("streams the call of the client's tool, and goes on in a stream", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: {} }] }, "Noon.");
    const { client } = await serve({ agents: { helper: new Agent({ name: "helper", model }) } });
    const tools = [
      { type: "function", function: { name: "get_time", parameters: { type: "object", properties: {} } } },
    ] as const;
    const stream = client.chat.completions.stream({ model: "helper", messages: hi, tools: [...tools] });
    const first = await stream.finalChatCompletion();
    expect(first.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "get_time" } }] },
    });
    const message = first.choices[0]?.message;
    const id = message?.tool_calls?.[0]?.id ?? "";
    const second = client.chat.completions.stream({
      model: "helper",
      tools: [...tools],
      messages: [
        ...hi,
        { role: "assistant", content: null, tool_calls: message?.tool_calls ?? [] },
        { role: "tool", tool_call_id: id, content: "12:00" },
      ],
    });
    expect(await second.finalContent()).toBe("Noon.");
  });
});

describe("approvals in chat completions", () => {
  it("are refused at construction, unless the host answers them", async () => {
    const { agent } = scripted(weatherTurns, { tools: [weatherTool({ needsApproval: true }).tool] });
    await expect(serve({ agents: { helper: agent } })).rejects.toMatchObject({ code: "invalid_config" });
    await serve({ agents: { helper: agent } }, { api: { chat: false } });
  });

  it.each([
    ["approve", [{ city: "Oslo" }]],
    ["deny", []],
  ] as const)("are answered with %s by the option", async (approvals, expected) => {
    const { tool, asked } = weatherTool({ needsApproval: true });
    const { agent } = scripted(weatherTurns, { tools: [tool] });
    const { client } = await serve({ agents: { helper: agent } }, { api: { chat: { approvals } } });
    const completion = await client.chat.completions.create({ model: "helper", messages: hi });
    expect(completion.choices[0]?.message.content).toContain("It rains.");
    expect(asked).toEqual(expected);
  });
});
