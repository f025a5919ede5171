import { defineTool, Team, TroupeError, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scripted, teller, weatherTool, weatherTurns } from "../test/agents.ts";
import { serve } from "../test/serve.ts";
import { Transcript } from "../test/transcript.ts";

const usage = {
  promptTokens: 5,
  completionTokens: 2,
  totalTokens: 7,
  cachedTokens: 3,
  reasoningTokens: 1,
  audioInputTokens: 4,
};
const hi = [{ role: "user", content: "Où?" }];
const chat = "/v1/chat/completions";
const timeTool = { type: "function", name: "get_time", description: "Tells the time." };
const chatTool = { type: "function", function: { name: "get_time" } };
const twoCalls = {
  toolCalls: [
    { id: "c1", name: "get_time", arguments: { zone: "é" } },
    { id: "c2", name: "get_time", arguments: {} },
  ],
};

const failing = defineTool({
  name: "broken",
  description: "Fails.",
  parameters: { type: "object", properties: {} },
  execute: () => Promise.reject(new Error("No.")),
});

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_500, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function begin(options: Parameters<typeof serve>[0], hosting?: Parameters<typeof serve>[1]) {
  const transcript = new Transcript(await serve(options, hosting));
  const exchange: Transcript["exchange"] = async (...given) => await transcript.exchange(...given);
  return { transcript, exchange };
}

const told = (transcript: Transcript): string => `${transcript.lines.join("\n").trim()}\n`;

// What a client sends and gets, byte for byte. If a change is meant, write the transcripts anew by `vitest --update`.
describe("the exchanges of", () => {
  it("Chat Completions are these", async () => {
    const thinker = scripted([
      { thinking: "Hm.", text: ["Hé", "llo."], usage },
      { text: "cut", finishReason: "length" },
    ]);
    const caller = scripted([...weatherTurns, { text: ["a", "b"] }], { tools: [weatherTool().tool], name: "caller" });
    const breaking = scripted([
      { error: new TroupeError("rate_limited", "Later.") },
      { text: ["a"], error: new Error("x") },
    ]);
    const asking = scripted([twoCalls, "Noon.", twoCalls, { text: ["No", "on."] }]);
    const flow = new Workflow({
      name: "flow",
      initialState: { a: 1 },
      steps: [{ name: "s", agent: scripted(["é"]).agent }],
    });
    const member = scripted(["Member."], { name: "member" }).agent;
    const desk = new Team({ name: "desk", mode: "route", model: new ScriptedModel(), members: [member] });
    const { transcript, exchange } = await begin({
      agents: { thinker: thinker.agent, caller: caller.agent, breaking: breaking.agent, asking: asking.agent },
      teams: { desk },
      workflows: { flow },
    });
    const ask = async (fields: object) => await exchange("POST", chat, { messages: hi, ...fields });

    transcript.title("models");
    await exchange("GET", "/v1/models");
    await exchange("GET", "/v1/models/desk");
    await exchange("GET", "/v1/models/none%20such");
    transcript.title("an answer at once");
    await ask({ model: "thinker" });
    transcript.title("an answer in a stream");
    await ask({ model: "thinker", stream: true, stream_options: { include_usage: true } });
    transcript.title("tools of the agent");
    await ask({ model: "caller" });
    transcript.title("failures before and after the first piece");
    await ask({ model: "breaking", stream: true });
    await ask({ model: "breaking", stream: true });
    transcript.title("a workflow, whose text is its last output");
    await ask({ model: "flow" });
    await ask({ model: "flow", stream: true, stream_options: { include_usage: true } });
    transcript.title("tools of the client at once, and in a stream");
    for (const stream of [false, true]) {
      const asked = await ask({ model: "asking", tools: [chatTool] });
      const { message } = asked.choices[0] as { message: { tool_calls: { id: string }[] } };
      const results = message.tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "12:00" }));
      const messages = [...hi, message, ...results];
      await ask({ model: "asking", messages: messages.slice(0, -1) });
      await ask({ model: "thinker", messages });
      await ask({ model: "asking", messages, stream });
      await ask({ model: "asking", messages });
    }
    transcript.title("a result of a call that was never made");
    await ask({ model: "asking", messages: [...hi, { role: "tool", tool_call_id: "x", content: "y" }] });
    await ask({
      model: "asking",
      messages: [
        ...hi,
        {
          role: "tool",
          tool_call_id: `call_${Buffer.from("0123abcd-0000-4000-8000-00000000000f/w").toString("base64url")}`,
          content: "y",
        },
      ],
    });
    transcript.title("a body that is no object, and a model that is no name");
    await exchange("POST", chat, [1]);
    await exchange("POST", chat, { messages: hi });
    await expect(told(transcript)).toMatchFileSnapshot("../test/outlines/chat-exchanges.txt");
  });

  it("the Responses API are these", async () => {
    const { agent: thinker } = scripted(
      [{ thinking: "Hm.", text: ["Hé", "llo."], usage }, { text: "cut", finishReason: "length" }, "c"],
      { name: "thinker" },
    );
    const { agent: caller } = scripted(
      [...weatherTurns, { toolCalls: [{ id: "c9", name: "broken", arguments: {} }] }, "d"],
      {
        tools: [weatherTool().tool, failing],
        name: "caller",
      },
    );
    const { agent: breaking } = scripted([
      { error: new TroupeError("rate_limited", "Later.") },
      { text: ["a"], error: new Error("x") },
    ]);
    const { agent: asking } = scripted([twoCalls, "Noon.", twoCalls, "Noon."], { name: "asking" });
    const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "s", agent: scripted(["é"]).agent }] });
    const { transcript, exchange } = await begin({
      agents: { thinker, caller, breaking, asking, teller: teller() },
      workflows: { flow },
    });
    const ask = async (fields: object) => await exchange("POST", "/v1/responses", { input: "Où?", ...fields });
    const readAll = async (id: string) => {
      await exchange("GET", `/v1/responses/${id}`);
      await exchange("GET", `/v1/responses/${id}/input_items`);
      await exchange("GET", `/v1/responses/${id}?stream=true`);
    };

    transcript.title("an answer at once, and what is read of it later");
    const first = await ask({ model: "thinker", instructions: "Be é.", metadata: { a: "b" }, user: "u" });
    await readAll(first.id as string);
    await exchange("POST", `/v1/responses/${first.id}/cancel`);
    transcript.title("an answer that was cut off");
    await ask({
      model: "thinker",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "a" },
            { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
            { type: "input_file", file_data: "data:text/plain,a", filename: "é.txt" },
            { type: "input_file", file_data: "data:text/plain,b" },
          ],
        },
      ],
      conversation: "c1",
    }).then(async ({ id }) => await readAll(id as string));
    transcript.title("an answer that is not stored");
    await ask({ model: "thinker", store: false }).then(async ({ id }) => await exchange("GET", `/v1/responses/${id}`));
    transcript.title("tools of the agent in a stream, and one that fails");
    await ask({ model: "caller", stream: true });
    await ask({ model: "caller" }).then(async ({ id }) => await readAll(id as string));
    transcript.title("failures before and after the first event");
    await ask({ model: "breaking", stream: true });
    await ask({ model: "breaking", stream: true });
    transcript.title("a workflow");
    await ask({ model: "flow" }).then(async ({ id }) => await readAll(id as string));
    await ask({ model: "flow", stream: true });
    transcript.title("tools of the client");
    const asked = await ask({ model: "asking", tools: [timeTool] });
    const calls = (asked.output as { call_id: string }[]).map(({ call_id }) => call_id);
    const outputs = calls.map((call_id) => ({ type: "function_call_output", call_id, output: "12:00" }));
    await exchange("POST", "/v1/responses", { model: "teller", input: "a", previous_response_id: asked.id });
    await ask({ model: "asking", input: outputs.slice(1) });
    await ask({ model: "teller", input: outputs });
    await ask({ model: "asking", input: outputs, previous_response_id: asked.id, stream: true });
    await ask({ model: "asking", input: outputs, previous_response_id: asked.id });
    const again = await ask({ model: "asking", tools: [timeTool] });
    const [other] = (again.output as { call_id: string }[]).map(({ call_id }) => ({
      type: "function_call_output",
      call_id,
      output: "",
    }));
    await ask({ model: "asking", input: [outputs[0], other] });
    await exchange("GET", `/v1/responses/${asked.id}`);
    await exchange("GET", `/v1/responses/${asked.id}?stream=true&starting_after=3`);
    await exchange("GET", `/v1/responses/${asked.id}?stream=true&starting_after=x`);
    await exchange("GET", `/v1/responses/${asked.id}/input_items`);
    transcript.title("what is unknown, and what there is not");
    await exchange("GET", "/v1/responses/resp_x");
    await exchange("POST", "/v1/responses/compact", {});
    await ask({ model: "teller", previous_response_id: "resp_x" });
    await ask({ model: "none" });
    await ask({ model: "asking", input: [{ type: "function_call_output", call_id: "x", output: "y" }] });
    await ask({ model: "asking", input: [{ type: "mcp_approval_response", approval_request_id: "x", approve: true }] });
    transcript.title("a deleted one");
    await exchange("DELETE", `/v1/responses/${first.id}`);
    await exchange("GET", `/v1/responses/${first.id}`);
    await expect(told(transcript)).toMatchFileSnapshot("../test/outlines/response-exchanges.txt");
  });

  it("approvals are these", async () => {
    const { tool } = weatherTool({ needsApproval: true });
    const { agent } = scripted([...weatherTurns, ...weatherTurns], { tools: [tool] });
    const { transcript, exchange } = await begin({ agents: { helper: agent } }, { api: { chat: false } });
    const ask = async (fields: object) => await exchange("POST", "/v1/responses", { model: "helper", ...fields });
    for (const answer of [{ approve: true }, { approve: false, reason: "Not é." }]) {
      transcript.title(`an answer of ${JSON.stringify(answer)}`);
      const asked = await ask({ input: "Hi" });
      const request = (asked.output as { type: string; id: string }[]).find(({ type }) => type.endsWith("_request"));
      await exchange("GET", `/v1/responses/${asked.id}?stream=true`);
      const { id } = await ask({
        input: [{ type: "mcp_approval_response", approval_request_id: request?.id, ...answer }],
      });
      await exchange("GET", `/v1/responses/${id}`);
      await exchange("GET", `/v1/responses/${id}?stream=true`);
    }
    await expect(told(transcript)).toMatchFileSnapshot("../test/outlines/approval-exchanges.txt");
  });
});
