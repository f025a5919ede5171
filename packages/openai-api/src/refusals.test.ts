import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { scripted, teller } from "../test/agents.ts";
import { serve } from "../test/serve.ts";

const hi = [{ role: "user", content: "Hi" }];
const nonsense = { type: "nonsense" };
const getTime = { name: "get_time", parameters: { type: "object" } };
const chatTool = (named: object) => ({ type: "function", function: named });
const responseTool = (named: object) => ({ type: "function", ...named });
const chat = "/v1/chat/completions";
const responses = "/v1/responses";

const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") });
const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "s", agent }] });

describe("a request that is wrong", () => {
  it.each<[path: string, body: object, param: string]>([
    [chat, { messages: [{ role: "user", content: "" }] }, "messages"],
    [chat, { messages: [{ role: "user", content: null }] }, "messages"],
    [responses, { input: "" }, "input"],
    [responses, { input: [{ role: "user", content: [{ type: "input_text", text: "" }] }] }, "input"],
    [
      chat,
      { messages: hi, response_format: { type: "json_schema", json_schema: { schema: nonsense } } },
      "response_format",
    ],
    [responses, { input: "Hi", text: { format: { type: "json_schema", schema: nonsense } } }, "text.format"],
    [chat, { messages: hi, tools: [chatTool({ name: "" })] }, "tools[0].function.name"],
    [responses, { input: "Hi", tools: [responseTool({ name: " " })] }, "tools[0].name"],
    [chat, { messages: hi, tools: [chatTool(getTime), chatTool(getTime)] }, "tools[1].name"],
    [chat, { model: "flow", messages: hi, tools: [chatTool(getTime)] }, "tools"],
    [responses, { model: "flow", input: "Hi", tools: [responseTool(getTime)] }, "tools"],
    [chat, { model: "flow", messages: hi, response_format: { type: "json_object" } }, "response_format"],
    [
      responses,
      { model: "flow", input: "Hi", text: { format: { type: "json_schema", schema: { type: "object" } } } },
      "text.format",
    ],
  ])("is refused at %s for %j in the words of the API, which name %s", async (path, body, param) => {
    const { post } = await serve({ agents: { helper: teller() }, workflows: { flow } });
    const { status, json } = await post(path, { model: "helper", ...body });

    expect([status, json.error?.param]).toEqual([400, param]);
    expect(json.error.message).not.toMatch(/additions|outputSchema|clientTools/);
    expect(json.error.message).toContain(param);
  });
});

describe("a file within a request", () => {
  const text = "data:text/plain;base64,aGk=";
  const image = `data:image/png;base64,${"A".repeat(40)}`;
  const part = (data: string) => [{ type: "input_file", file_data: data }];
  const item = (data: string) => ({ type: "message", role: "user", content: part(data) });
  const chatItem = (data: string) => ({ role: "user", content: [{ type: "file", file: { file_data: data } }] });

  it.each<[path: string, body: object, expected: [status: number, place: string]]>([
    [chat, { messages: [...hi, chatItem(text)] }, [415, "messages[1].content"]],
    [chat, { messages: [chatItem(image), { role: "assistant", content: "é" }, ...hi] }, [413, "messages[0].content"]],
    [responses, { input: [{ type: "reasoning" }, item(text)] }, [415, "input[1].content"]],
    [responses, { input: [item(image), item(image)] }, [413, "input[0].content"]],
  ])("is refused at %s in %j as %j", async (path, body, [status, place]) => {
    const api = { files: { maxFileSize: 20, allowedMimeTypes: ["image/png"] } };
    const { post } = await serve({ agents: { helper: teller() } }, { api });
    const answer = await post(path, { model: "helper", ...body });

    expect([answer.status, answer.json.error.param]).toEqual([status, place]);
    expect(answer.json.error.message).toContain(`${place}[0].data `);
  });

  it.each([
    [415, text],
    [413, image],
  ])("is refused with status %i in the result of a client's tool too, and the run waits on", async (status, data) => {
    const { agent: helper } = scripted([{ toolCalls: [{ name: "get_time", arguments: {} }] }, "Noon."]);
    const api = { files: { maxFileSize: 20, allowedMimeTypes: ["image/png"] } };
    const { post } = await serve({ agents: { helper } }, { api });
    const first = await post(responses, { model: "helper", input: "Hi", tools: [responseTool(getTime)] });
    const [{ call_id: callId }] = first.json.output;
    const answerWith = async (output: unknown) =>
      await post(responses, {
        model: "helper",
        previous_response_id: first.json.id,
        input: [{ type: "function_call_output", call_id: callId, output }],
      });
    const refused = await answerWith(part(data));

    expect([refused.status, refused.json.error?.param]).toEqual([status, "input[0].output"]);
    expect((await answerWith("12:00")).json.output.at(-1).content[0].text).toBe("Noon.");
  });
});
