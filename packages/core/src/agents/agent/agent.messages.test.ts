import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { Agent } from "./agent.ts";

const weather = defineTool({
  name: "get_weather",
  description: "Returns the weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: () => "rain",
});
const call = { id: "c1", name: "get_weather", arguments: { city: "Oslo" } };

/** Returns the messages of the last model call of a run with one tool call. */
async function messagesOfRun(input: string | ContentPart[] = "Umbrella?"): Promise<readonly ChatMessage[]> {
  const model = new ScriptedModel({ toolCalls: [call] }, "Yes.");
  const agent = new Agent({ name: "a", model, instructions: "Be brief.", tools: [weather] });
  await agent.run(input);
  return model.calls.at(-1)?.messages ?? [];
}

describe("the messages that a model receives", () => {
  it("have the roles system, user, assistant and tool [message.roles]", async () => {
    expect((await messagesOfRun()).map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  });

  it("hold a string, an array of parts, or null beside tool calls [message.content]", async () => {
    const parts: ContentPart[] = [{ type: "text", text: "Umbrella?" }];

    expect((await messagesOfRun()).map(({ content }) => content)).toEqual(["Be brief.", "Umbrella?", null, "rain"]);
    expect((await messagesOfRun(parts))[1]?.content).toEqual(parts);
  });

  it("carry the tool calls, the id of the call that a result answers, and a name [message.fields]", async () => {
    const [, , asking, answering] = await messagesOfRun();
    const memory = new Memory();
    await memory.addMessages("s1", [
      { role: "user", content: "I am in Oslo.", name: "ada" },
      { role: "assistant", content: "Noted." },
    ]);
    const model = new ScriptedModel("Yes.");
    await new Agent({ name: "a", model, memory }).run("Umbrella?", { sessionId: "s1" });

    expect(asking?.toolCalls).toEqual([call]);
    expect(answering?.toolCallId).toBe("c1");
    expect(model.calls[0]?.messages[0]).toEqual({ role: "user", content: "I am in Oslo.", name: "ada" });
  });

  it.each<ContentPart>([
    { type: "image", data: "aGk=" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "audio", data: "aGk=" },
    { type: "audio", data: "aGk=", mimeType: "audio/wav" },
    { type: "file", data: "aGk=", mimeType: "text/plain" },
    { type: "file", data: "aGk=", mimeType: "text/plain", filename: "a.txt" },
  ])("hold the part %j as it was given [content.image] [content.audio] [content.file]", async (part) => {
    expect((await messagesOfRun([part]))[1]?.content).toEqual([part]);
  });

  it.each([
    ["an image without data", { type: "image", mimeType: "image/png" }, "input[0].data"],
    ["an audio part without data", { type: "audio" }, "input[0].data"],
    ["a file without a mime type", { type: "file", data: "aGk=" }, "input[0].mimeType"],
    ["a file without data", { type: "file", mimeType: "text/plain" }, "input[0].data"],
  ])("never hold %s [content.image] [content.audio] [content.file]", async (_what, part, field) => {
    const model = new ScriptedModel();
    const run = new Agent({ name: "a", model }).run([part as ContentPart]);

    await expect(run).rejects.toMatchObject({ code: "invalid_request", message: expect.stringContaining(field) });
    expect(model.calls).toEqual([]);
  });
});
