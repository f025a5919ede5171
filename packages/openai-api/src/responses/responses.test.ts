import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { zodTextFormat } from "openai/helpers/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { scripted, teller, weatherTool, weatherTurns } from "../../test/agents.ts";
import { readAll, serve } from "../../test/serve.ts";

const timeTool = {
  type: "function",
  name: "get_time",
  description: "Tells the time.",
  parameters: { type: "object", properties: { zone: { type: "string" } } },
  strict: false,
} as const;

describe("a response", () => {
  it("is the answer of an agent, and is read again from its session", async () => {
    const { agent } = scripted(["Hello."]);
    const { client } = await serve({ agents: { helper: agent } });
    const made = await client.responses.create({
      model: "helper",
      input: "Hi",
      metadata: { a: "b" },
      temperature: 0.5,
    });
    expect(made).toMatchObject({
      object: "response",
      status: "completed",
      output_text: "Hello.",
      metadata: { a: "b" },
      temperature: 0.5,
      usage: { input_tokens: expect.any(Number), output_tokens_details: { reasoning_tokens: 0 } },
    });
    const read = await client.responses.retrieve(made.id);
    expect(read).toMatchObject({ id: made.id, status: "completed", output_text: "Hello.", output: made.output });
    const items = await readAll(client.responses.inputItems.list(made.id));
    expect(items).toMatchObject([{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] }]);
  });

  it("shows the agent's own tools as calls of MCP, whole and in a stream of the library's helper", async () => {
    const { tool } = weatherTool();
    const { agent } = scripted([...weatherTurns, ...weatherTurns], { tools: [tool] });
    const { client } = await serve({ agents: { helper: agent } });
    const output = [
      { type: "message", content: [{ text: "Let me see." }] },
      {
        type: "mcp_call",
        name: "weather",
        arguments: '{"city":"Oslo"}',
        output: "rain",
        error: null,
        status: "completed",
      },
      { type: "message", content: [{ text: "It rains." }] },
    ];
    expect((await client.responses.create({ model: "helper", input: "Hi" })).output).toMatchObject(output);
    const stream = client.responses.stream({ model: "helper", input: "Hi" });
    const types = (await readAll(stream)).map(({ type }) => type);
    expect((await stream.finalResponse()).output).toMatchObject(output);
    expect(types).toEqual(
      expect.arrayContaining(["response.created", "response.mcp_call.completed", "response.completed"]),
    );
    const { id } = await stream.finalResponse();
    expect((await client.responses.retrieve(id)).output).toMatchObject(output);
  });

  it("goes on behind a previous one, with instructions of this request alone", async () => {
    const agent = teller();
    const { client } = await serve({ agents: { teller: agent } });
    const first = await client.responses.create({ model: "teller", input: "one", instructions: "Shout." });
    const second = await client.responses.create({ model: "teller", input: "two", previous_response_id: first.id });
    expect(second).toMatchObject({ output_text: "one; two", previous_response_id: first.id, instructions: null });
  });

  it("goes on behind an older one in a fork, and twice behind one at once", async () => {
    const { client } = await serve({ agents: { teller: teller() } });
    const say = async (input: string, previous?: string) =>
      await client.responses.create({
        model: "teller",
        input,
        ...(previous !== undefined && { previous_response_id: previous }),
      });
    const first = await say("one");
    const second = await say("two", first.id);
    const fork = await say("three", first.id);
    expect(fork.output_text).toBe("one; three");
    expect((await say("four", fork.id)).output_text).toBe("one; three; four");
    const both = await Promise.all([say("five", second.id), say("six", second.id)]);
    expect(both.map(({ output_text: text }) => text)).toEqual(["one; two; five", "one; two; six"]);
    for (const { id, output_text: text } of both) expect((await client.responses.retrieve(id)).output_text).toBe(text);
  });

  it("belongs to a conversation, which is a session", async () => {
    const agent = teller();
    const { as } = await serve({ agents: { teller: agent } });
    const client = as("ada");
    await client.responses.create({ model: "teller", input: "one", conversation: "conv_1" });
    const second = await client.responses.create({ model: "teller", input: "two", conversation: { id: "conv_1" } });
    expect(second).toMatchObject({ output_text: "one; two", conversation: { id: "conv_1" } });
    expect((await agent.sessions.listSessions({ userId: "ada" })).sessions).toMatchObject([
      { sessionId: "conv_1", turns: 2 },
    ]);
  });

  it("writes nothing with store: false, and takes what was before", async () => {
    const storage = new InMemoryStorage();
    const { client } = await serve({ agents: { teller: teller({ storage }) } });
    const first = await client.responses.create({ model: "teller", input: "one", store: false });
    expect(first).toMatchObject({ output_text: "one", store: false });
    for (const namespace of ["sessions", "turns", "runs"]) expect(await storage.list(namespace)).toEqual([]);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    const stored = await client.responses.create({ model: "teller", input: "two" });
    const next = await client.responses.create({
      model: "teller",
      input: "three",
      store: false,
      previous_response_id: stored.id,
    });
    expect(next.output_text).toBe("two; three");
    expect(await storage.list("turns")).toHaveLength(1);
  });

  it("fits a schema of the client, which parse of the library reads", async () => {
    const { agent } = scripted(['{"city":"Oslo"}']);
    const { client } = await serve({ agents: { helper: agent } });
    const format = zodTextFormat(z.object({ city: z.string() }), "place");
    const parsed = await client.responses.parse({ model: "helper", input: "Hi", text: { format } });
    expect(parsed.output_parsed).toEqual({ city: "Oslo" });
  });

  it("is unknown once it was deleted, and to begin with", async () => {
    const { client, ask, post } = await serve({ agents: { teller: teller() } });
    const { id } = await client.responses.create({ model: "teller", input: "one" });
    const deleted = await ask(`/v1/responses/${id}`, { method: "DELETE" });
    expect(deleted.json).toEqual({ id, object: "response", deleted: true });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    for (const previous of [id, "resp_x", "resp_", "x".repeat(600)]) {
      const { status, json } = await post("/v1/responses", {
        model: "teller",
        input: "Hi",
        previous_response_id: previous,
      });
      expect([status, json.error.code, json.error.param]).toEqual([
        404,
        "previous_response_not_found",
        "previous_response_id",
      ]);
    }
  });

  it.each([
    [{ input: [] }, "input"],
    [{ input: [{ type: "message", role: "assistant", content: "x" }] }, "input"],
    [{ input: [{ type: "function_call_output", call_id: "call_x", output: "1" }] }, "input[0]"],
    [{ input: [{ type: "computer_call" }] }, "input[0].type"],
    [{ conversation: "a b" }, "conversation"],
    [{ conversation: "a", previous_response_id: "b" }, "conversation"],
    [{ background: true, store: false }, "background"],
    [{ prompt: { id: "x" } }, "prompt"],
    [{ top_logprobs: 3 }, "top_logprobs"],
    [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
    [{ tool_choice: { type: "function", name: "other" }, tools: [timeTool] }, "tool_choice"],
    [{ text: { format: { type: "yaml" } } }, "text.format.type"],
  ])("is refused for %j with the field", async (body, param) => {
    const { post } = await serve({ agents: { teller: teller() } });
    const { status, json } = await post("/v1/responses", { model: "teller", input: "Hi", ...body });
    expect([status, json.error.param]).toEqual([400, param]);
  });

  it("is not compacted by a client", async () => {
    const { post } = await serve({ agents: { teller: teller() } });
    const { status, json } = await post("/v1/responses/compact", { model: "teller", input: "Hi" });
    expect([status, json.error.code]).toEqual([400, "unsupported_operation"]);
  });

  it("fails with an error and a failed response on its stream", async () => {
    const model = new ScriptedModel();
    model.stream = async function* stream() {
      yield { type: "text", text: "Well" };
      throw await Promise.resolve(new Error("secret vendor text"));
    };
    const { post } = await serve({ agents: { helper: new Agent({ name: "helper", model }) } });
    const { text } = await post("/v1/responses", { model: "helper", input: "Hi", stream: true });
    expect(text).not.toContain("secret");
    expect(text).toMatch(/event: error\n.*\n\nevent: response\.failed\n/);
  });
});

describe("tools of the client in responses", () => {
  const agent = () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "get_time", arguments: { zone: "UTC" } }] }, "Noon.");
    return { agent: new Agent({ name: "helper", model, storage: new InMemoryStorage() }), model };
  };

  it("are called, and their results continue the run", async () => {
    const { agent: helper } = agent();
    const { client } = await serve({ agents: { helper } });
    const first = await client.responses.create({ model: "helper", input: "Time?", tools: [timeTool] });
    const [call] = first.output;
    expect(call).toMatchObject({
      type: "function_call",
      name: "get_time",
      arguments: '{"zone":"UTC"}',
      status: "completed",
    });
    expect(first.status).toBe("completed");
    const output = {
      type: "function_call_output",
      call_id: (call as { call_id: string }).call_id,
      output: "12:00",
    } as const;
    const body = { model: "helper", previous_response_id: first.id, tools: [timeTool], input: [output] };
    const second = await client.responses.create(body);
    expect(second).toMatchObject({ output_text: "Noon.", previous_response_id: first.id });
    expect(second.id).not.toBe(first.id);
    // A client that has lost the answer asks again.
    expect((await client.responses.create(body)).output_text).toBe("Noon.");
    expect(await client.responses.retrieve(first.id)).toMatchObject({
      status: "completed",
      output: [{ type: "function_call" }],
    });
    expect(await client.responses.retrieve(second.id)).toMatchObject({ output_text: "Noon." });
    const third = await client.responses
      .create({ model: "helper", input: "And?", previous_response_id: second.id })
      .catch((error: unknown) => error);
    expect(third).not.toMatchObject({ status: 404 });
  });

  it("are called in a stream of the library's helper, which goes on in another", async () => {
    const { agent: helper } = agent();
    const { client } = await serve({ agents: { helper } });
    const first = await client.responses.stream({ model: "helper", input: "Time?", tools: [timeTool] }).finalResponse();
    const callId = (first.output[0] as { call_id: string }).call_id;
    const input = [{ type: "function_call_output", call_id: callId, output: "12:00" }] as const;
    const second = client.responses.stream({
      model: "helper",
      input: [...input],
      previous_response_id: first.id,
      tools: [timeTool],
    });
    expect((await second.finalResponse()).output_text).toBe("Noon.");
  });
});

describe("approvals in responses", () => {
  it.each([
    [true, [{ city: "Oslo" }]],
    [false, []],
  ])("are asked for, and the answer %s continues the run", async (approve, expected) => {
    const { tool, asked } = weatherTool({ needsApproval: true });
    const { agent } = scripted(weatherTurns, { tools: [tool] });
    const { client } = await serve({ agents: { helper: agent } }, { api: { chat: false } });
    const first = await client.responses.create({ model: "helper", input: "Hi" });
    const request = first.output.find(({ type }) => type === "mcp_approval_request");
    expect(request).toMatchObject({ name: "weather", arguments: '{"city":"Oslo"}', server_label: "agent" });
    const answer = { type: "mcp_approval_response", approval_request_id: request?.id ?? "", approve } as const;
    const second = await client.responses.create({ model: "helper", input: [answer], previous_response_id: first.id });
    expect(second.output_text).toBe("It rains.");
    expect(second.output[0]).toMatchObject({ type: "mcp_call", name: "weather", arguments: '{"city":"Oslo"}' });
    expect(asked).toEqual(expected);
  });
});
