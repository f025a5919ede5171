import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { ToolReturn } from "../run/tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { callOf, scripted, toolNamed } from "./test/agents.ts";
import type { AgentConfig } from "./agent-config.ts";

const parts: ContentPart[] = [
  { type: "text", text: "A map of Oslo." },
  { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
];

/** An agent whose tool `look` returns this, once for each turn of the script that calls it. */
function looking(result: unknown, config: Partial<AgentConfig> = {}) {
  const look = toolNamed("look", () => result as ToolReturn);
  return scripted([{ toolCalls: [callOf("1")] }, "A map.", "Still a map."], { tools: [look], ...config });
}

describe.each(["run", "stream"] as const)("the result of a tool (%s)", (way) => {
  const start = async ({ agent }: ReturnType<typeof scripted>, input = "Look.") =>
    way === "run" ? await agent.run(input, { sessionId: "s" }) : await agent.stream(input, { sessionId: "s" }).output;

  it("reaches the model as parts when the tool returned parts [tool.result-parts]", async () => {
    const scene = looking(parts);
    const events: unknown[] = [];
    scene.agent.eventBus.on("tool.result", ({ result }) => events.push(result));
    const output = await start(scene);

    expect(scene.model.calls[1]?.messages.at(-1)).toEqual({ role: "tool", toolCallId: "1", content: parts });
    expect(output.toolCalls[0]?.result).toEqual(parts);
    expect(output.messages?.[2]).toEqual({ role: "tool", toolCallId: "1", content: parts });
    expect(events).toEqual([parts]);
  });

  it("reaches the model as JSON text when the tool returned JSON [tool.result-json]", async () => {
    const scene = looking({ content: { city: "Oslo", days: [1, 2] }, artifacts: [{ type: "t", data: 1 }] });
    const output = await start(scene);

    expect(scene.model.calls[1]?.messages.at(-1)).toMatchObject({ content: '{"city":"Oslo","days":[1,2]}' });
    expect(output.toolCalls[0]).toMatchObject({ result: '{"city":"Oslo","days":[1,2]}', artifacts: [{ data: 1 }] });
  });

  it("is an error for the model when it is no JSON, which says what to return [tool.result-no-json]", async () => {
    const scene = looking({ at: new Date(0) });
    const output = await start(scene);

    expect(output.text).toBe("A map.");
    expect(scene.model.calls[1]?.messages.at(-1)?.content).toBe(
      "The tool look failed: a tool must return a string, a JSON value, an array of content parts, or " +
        "{ content, artifacts?, sources? } with one of these as content, artifacts of { type, data, mimeType? } and " +
        "sources of { id, url?, title?, place?, passage?, score? }, but its " +
        "result.at is a Date, which JSON cannot hold: use its toISOString()",
    );
  });

  it.each([
    ["text", "a".repeat(262_145)],
    ["an image", [{ type: "image", data: "A".repeat(262_148) }]],
    ["parts", Array.from({ length: 101 }, () => parts[0])],
  ])("is reported as a warning when %s was cut or left out [tool.output-cut]", async (_, result) => {
    const scene = looking(result);
    const warnings: unknown[] = [];
    scene.agent.eventBus.on("run.warning", (warning) => warnings.push(warning));
    const { runId } = await start(scene);

    expect(warnings).toMatchObject([
      { runId, code: "tool_output_cut", fields: { toolName: "look", maxOutputBytes: 262_144 } },
    ]);
  });

  it("is reported by no warning when it fits", async () => {
    const scene = looking("a".repeat(262_144));
    const warnings: unknown[] = [];
    scene.agent.eventBus.on("run.warning", (warning) => warnings.push(warning));
    await start(scene);

    expect(warnings).toEqual([]);
  });

  it.each<[string, () => Partial<AgentConfig>]>([
    ["session", () => ({ storage: new InMemoryStorage() })],
    ["memory", () => ({ storage: new InMemoryStorage(), memory: new Memory() })],
  ])("is in the history of the next run with its parts, from the %s [tool.result-parts-stored]", async (_, config) => {
    const scene = looking(parts, config());
    await start(scene);
    await start(scene, "And now?");

    expect(scene.model.calls[2]?.messages).toContainEqual({ role: "tool", toolCallId: "1", content: parts });
  });

  it("two calls with one cached result each get a copy", async () => {
    const look = toolNamed("look", () => [...parts], { cache: { ttl: 10_000 }, effect: "pure" });
    const { agent } = scripted([{ toolCalls: [callOf("1"), callOf("2")] }, { toolCalls: [callOf("3")] }, "Maps."], {
      tools: [look],
    });
    const { toolCalls } = await agent.run("Look.");
    for (const { result } of toolCalls) (result as ContentPart[]).pop();

    expect(toolCalls.map(({ result }) => result)).toEqual(Array(3).fill(parts.slice(0, 1)));
  });
});
