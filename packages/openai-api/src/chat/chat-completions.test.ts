import { Team, Workflow, Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { scripted, weatherTool, weatherTurns } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

const hi: { role: "user"; content: string }[] = [{ role: "user", content: "Hi" }];

describe("a chat completion", () => {
  it("is the answer of an agent, with its usage", async () => {
    const usage = { promptTokens: 5, completionTokens: 2, totalTokens: 7, cachedTokens: 3, reasoningTokens: 1 };
    const { agent } = scripted([{ text: "Hello.", usage }]);
    const { client } = await serve({ agents: { helper: agent } });
    const completion = await client.chat.completions.create({ model: "helper", messages: hi });
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: "helper",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 2,
        total_tokens: 7,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
    });
  });

  it("streams text and, if asked, usage", async () => {
    const { agent } = scripted([{ text: ["Hel", "lo."] }]);
    const { client } = await serve({ agents: { helper: agent } });
    const body = { model: "helper", messages: hi, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await readAll(await client.chat.completions.create(body));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? choices[0]?.finish_reason)).toEqual([
      "",
      "Hel",
      "lo.",
      "stop",
      undefined,
    ]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    const stream = client.chat.completions.stream({ model: "helper", messages: hi });
    await expect(stream.finalContent()).rejects.toMatchObject({ status: 500 });
  });

  it.each([
    ["reasoning", ["Calling weather. ", "Used weather.\n"]],
    ["hidden", []],
  ] as const)("shows the agent's own tools as the option %s says", async (tools, expected) => {
    const { agent } = scripted(weatherTurns, { tools: [weatherTool().tool] });
    const { client } = await serve({ agents: { helper: agent } }, { api: { chat: { tools } } });
    const chunks = await readAll(await client.chat.completions.create({ model: "helper", messages: hi, stream: true }));
    const thought = chunks.flatMap(
      ({ choices }) => (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? [],
    );
    expect(thought).toEqual(expected);
    expect(JSON.stringify(chunks)).not.toContain("status");
  });

  it("fits a schema of the client, which parse of the library reads", async () => {
    const { agent, model } = scripted(["no JSON", '{"city":"Oslo"}']);
    const { client } = await serve({ agents: { helper: agent } });
    const completion = await client.chat.completions.parse({
      model: "helper",
      messages: hi,
      response_format: zodResponseFormat(z.object({ city: z.string() }), "place"),
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ city: "Oslo" });
    expect(model.calls).toHaveLength(2);
  });

  it("adds system messages to the agent's instructions, and takes the conversation before", async () => {
    const { agent, model } = scripted(["Bonjour."], { instructions: "Be brief." });
    const { client } = await serve({ agents: { helper: agent } });
    await client.chat.completions.create({
      model: "helper",
      messages: [
        { role: "system", content: "Speak French." },
        { role: "user", content: "One." },
        { role: "assistant", content: "Un." },
        { role: "user", content: "Two." },
      ],
    });
    expect(model.calls[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ["system", "Be brief."],
      ["system", "Speak French."],
      ["user", "One."],
      ["assistant", "Un."],
      ["user", "Two."],
    ]);
  });

  it("stores nothing, and treats `user` as no identity", async () => {
    const seen: unknown[] = [];
    const { agent } = scripted(["Hello."], {
      hooks: { beforeRun: ({ userId, metadata }) => void seen.push(userId, metadata) },
    });
    const { client, service } = await serve({ agents: { helper: agent } });
    await client.chat.completions.create({ model: "helper", messages: hi, user: "mallory" });
    expect(seen).toEqual([undefined, { user: "mallory" }]);
    expect(await agent.sessions.listSessions({ userId: "mallory" })).toEqual({ sessions: [] });
    expect(service.servedRuns.size).toBe(0);
  });

  it("takes all that LibreChat sends, and caps the length below the agent's own", async () => {
    const { agent, model } = scripted(["Hello."], { modelOptions: { maxTokens: 50 } });
    const { client } = await serve({ agents: { helper: agent } });
    const body = {
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      user: "u",
      metadata: { a: "b" },
      seed: 1,
      stop: ["x"],
      store: true,
      max_tokens: 500,
    };
    await client.chat.completions.create({ model: "helper", messages: hi, ...body });
    expect(model.calls[0]?.options).toMatchObject({ maxTokens: 50 });
    expect(model.calls[0]?.options).not.toHaveProperty("temperature");
  });

  it.each([
    [{ n: 2 }, "n"],
    [{ logprobs: true }, "logprobs"],
    [{ audio: { voice: "alloy", format: "wav" }, modalities: ["audio"] }, "audio"],
    [{ messages: [] }, "messages"],
    [{ messages: "Hi" }, "messages"],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    [{ messages: [{ role: "assistant", content: "x" }] }, "messages"],
    [{ messages: [{ role: "user", content: [{ type: "smell" }] }] }, "messages[0].content[0].type"],
    [{ tools: [{ type: "function", function: { name: "weather" } }] }, "tools[0].name"],
    [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
    [{ response_format: { type: "json_schema", json_schema: { name: "x" } } }, "response_format.json_schema.schema"],
    [{ max_tokens: -1 }, "max_tokens"],
    [{ model: 7 }, "model"],
  ])("refuses %j with the field", async (body, param) => {
    const { agent } = scripted(["Hello."], { tools: [weatherTool().tool] });
    const { post } = await serve({ agents: { helper: agent } });
    const { status, json, headers } = await post("/v1/chat/completions", { model: "helper", messages: hi, ...body });
    expect([status, json.error.param, json.error.type]).toEqual([400, param, "invalid_request_error"]);
    expect(headers.get("x-should-retry")).toBe("false");
  });

  it("answers a failure in the dialect, with a status or on the stream that has begun", async () => {
    const { agent } = scripted([{ error: new Error("secret vendor text") }]);
    const { client, post } = await serve({ agents: { helper: agent } });
    const failed = await post("/v1/chat/completions", { model: "helper", messages: hi, stream: true });
    expect(failed.json.error).toMatchObject({ type: "server_error", param: null });
    expect(failed.text).not.toContain("secret");
    await expect(client.chat.completions.create({ model: "helper", messages: hi })).rejects.toMatchObject({
      status: 500,
    });
  });

  it("answers a wrong method and a body that is no JSON in the dialect", async () => {
    const { ask } = await serve({ agents: { helper: scripted(["Hello."]).agent } });
    const wrong = await ask("/v1/chat/completions");
    expect([wrong.status, wrong.headers.get("allow"), wrong.json.error.type]).toEqual([
      405,
      "POST, OPTIONS",
      "invalid_request_error",
    ]);
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{" };
    const broken = await ask("/v1/chat/completions", init);
    expect([broken.status, broken.json.error.code]).toEqual([400, "invalid_request"]);
  });

  it("passes images and files on to the model, as data: URLs and addresses", async () => {
    const { agent, model } = scripted(["A cat."]);
    const { client } = await serve({ agents: { helper: agent } });
    await client.chat.completions.create({
      model: "helper",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0x", filename: "a.pdf" } },
          ],
        },
      ],
    });
    expect(model.calls[0]?.messages.at(-1)?.content).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image", data: "data:image/png;base64,iVBORw0KGgo=", mimeType: "image/png" },
      { type: "file", data: "data:application/pdf;base64,JVBERi0x", mimeType: "application/pdf", filename: "a.pdf" },
    ]);
  });

  it("is the last step of a workflow, and the answer of a team", async () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") });
    const workflow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "s", agent }] });
    const team = new Team({
      name: "desk",
      mode: "coordinate",
      model: new ScriptedModel().respond(() => "Team."),
      members: [agent],
    });
    const { client } = await serve({ workflows: { flow: workflow }, teams: { desk: team } });
    const ask = async (model: string) =>
      (await client.chat.completions.create({ model, messages: hi })).choices[0]?.message.content;
    expect([await ask("flow"), await ask("desk")]).toEqual(["Done.", "Team."]);
    const stream = client.chat.completions.stream({ model: "flow", messages: hi });
    expect(await stream.finalContent()).toBe("Done.");
  });
});
