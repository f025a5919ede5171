import { connect } from "node:net";
import { TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { teller } from "../../test/agents.ts";
import { responseResource } from "../../test/response-resource.ts";
import { serve } from "../../test/serve.ts";

const getWeather = {
  type: "function",
  name: "get_weather",
  description: "Returns the weather at a place.",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
};

const message = (role: string, content: unknown) => ({ type: "message", role, content });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Serves an agent that repeats what users say, or calls `get_weather` if the client has such a tool. */
async function serveHelper() {
  const model = new ScriptedModel().respond(({ messages, options }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return `It is: ${JSON.stringify(last.content)}`;
    const isAsked = options.tools?.some(({ name }) => name === "get_weather") === true;
    if (isAsked) return { toolCalls: [{ id: "call_1", name: "get_weather", arguments: { location: "Tromsø" } }] };
    return messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => (typeof content === "string" ? content : `${content?.length ?? 0} parts`))
      .join("; ");
  });
  const api = await serve({ agents: { helper: teller({ name: "helper", model }) } });
  const create = async (body: object) => {
    const { status, json } = await api.post("/v1/responses", { model: "helper", ...body });
    expect(status).toBe(200);
    return responseResource.parse(json);
  };
  /** Reads a stream, each of whose frames is named like its event, and returns the events before `[DONE]`. */
  const stream = async (body: object) => {
    const { text } = await api.post("/v1/responses", { model: "helper", stream: true, ...body });
    const frames = text.trim().split("\n\n");
    expect(frames.pop()).toBe("data: [DONE]");
    return frames.map((frame) => {
      const [, name, data = ""] = /^event: (.+)\ndata: (.+)$/.exec(frame) ?? [];
      const event = JSON.parse(data) as { type: string; item?: { type: string }; response?: unknown };
      expect(event.type).toBe(name);
      return event;
    });
  };
  return { ...api, model, create, stream };
}

function textOf(response: z.infer<typeof responseResource>): string {
  return response.output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map(({ text }) => text)
    .join("");
}

describe("a case of the Open Responses suite", () => {
  it("basic-response: a message of a user is answered with a whole response", async () => {
    const { create } = await serveHelper();
    const response = await create({ input: [message("user", "Say hello in three words.")] });
    expect(response).toMatchObject({ status: "completed", completed_at: expect.any(Number), error: null });
    expect(textOf(response)).toBe("Say hello in three words.");
    expect(response.usage?.total_tokens).toBe(
      (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
    );
  });

  it("assistant-phase: messages of the assistant may name their phase, and are no history without a question", async () => {
    const { create, model } = await serveHelper();
    const thought = { ...message("assistant", "Let me think."), phase: "commentary" };
    const answer = { ...message("assistant", "Four."), phase: "final_answer" };
    const response = await create({ input: [thought, answer, message("user", "Repeat.")] });
    expect(response.status).toBe("completed");
    expect(model.calls[0]?.messages.map(({ content }) => content)).toEqual(["Repeat."]);
  });

  it("response-output-phase-schema: a phase of the output is one of the two that exist, or absent", async () => {
    const { create } = await serveHelper();
    const { output } = await create({ input: "Hi" });
    expect(output.map((item) => "phase" in item && item.phase)).toEqual([false]);
  });

  it("streaming-response: the last event has the whole response", async () => {
    const { stream } = await serveHelper();
    const events = await stream({ input: [message("user", "Count to five.")] });
    expect(events[0]?.type).toBe("response.created");
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(textOf(responseResource.parse(events.at(-1)?.response))).toBe("Count to five.");
    for (const { response } of events.slice(0, 2)) expect(responseResource.parse(response).status).toBe("in_progress");
  });

  it("system-prompt: a system message is added to the agent's instructions", async () => {
    const { create, model } = await serveHelper();
    const response = await create({ input: [message("system", "Speak like a pirate."), message("user", "Hello")] });
    expect(textOf(response)).toBe("Hello");
    expect(JSON.stringify(model.calls[0]?.messages[0])).toContain("Speak like a pirate.");
  });

  it("tool-calling: a tool of the client is called, and not executed here", async () => {
    const { create } = await serveHelper();
    const response = await create({ input: [message("user", "How is Tromsø?")], tools: [getWeather] });
    expect(response.output).toMatchObject([{ type: "function_call", name: "get_weather", status: "completed" }]);
    expect(response.tools).toMatchObject([{ name: "get_weather" }]);
  });

  it("tool-calling-streaming: the arguments come as deltas, between the beginning and the end of the call", async () => {
    const { stream } = await serveHelper();
    const events = await stream({ input: [message("user", "How is Tromsø?")], tools: [getWeather] });
    const types = events.map(({ type, item }) => (item === undefined ? type : `${type} ${item.type}`));
    expect(types.filter((type) => type.includes("function_call"))).toEqual([
      "response.output_item.added function_call",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done function_call",
    ]);
  });

  it.each(["previous_response_id", "the whole conversation"])(
    "function-call-roundtrip: the result of the client's tool continues the run, by %s",
    async (way) => {
      const { create } = await serveHelper();
      const input = [message("user", "How is Tromsø?")];
      const first = await create({ input, tools: [getWeather] });
      const [call] = first.output;
      const result = {
        type: "function_call_output",
        call_id: call?.type === "function_call" ? call.call_id : "",
        output: "−3 °C",
      };
      const second =
        way === "previous_response_id"
          ? { previous_response_id: first.id, input: [result] }
          : { input: [...input, call, result] };
      expect(textOf(await create({ ...second, tools: [getWeather] }))).toBe('It is: "−3 °C"');
    },
  );

  it("image-input: an image in a data: URL reaches the model beside the text", async () => {
    const { create } = await serveHelper();
    const image = { type: "input_image", image_url: `data:image/png;base64,${pixel}` };
    const content = [{ type: "input_text", text: "What is this?" }, image];
    expect(textOf(await create({ input: [message("user", content)] }))).toBe("2 parts");
  });

  it("file-input: a file in a data: URL reaches the model beside the text", async () => {
    const { create } = await serveHelper();
    const file = { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64,w6Q=" };
    expect(textOf(await create({ input: [message("user", [{ type: "input_text", text: "Read." }, file])] }))).toBe(
      "2 parts",
    );
  });

  it("multi-turn: earlier messages of both sides are read in their order", async () => {
    const { create, model } = await serveHelper();
    const input = [message("user", "I am Ada."), message("assistant", "Hello Ada."), message("user", "Who am I?")];
    expect(textOf(await create({ input }))).toBe("I am Ada.; Who am I?");
    expect(model.calls[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("previous-response-id: a response continues the one before", async () => {
    const { create } = await serveHelper();
    const { id } = await create({ input: "I am Ada." });
    expect(textOf(await create({ input: "Who am I?", previous_response_id: id }))).toBe("I am Ada.; Who am I?");
  });

  it("previous-response-not-found: an unknown response is refused by its field", async () => {
    const { post } = await serveHelper();
    const { status, json } = await post("/v1/responses", {
      model: "helper",
      input: "Hi",
      previous_response_id: "resp_unknown",
    });
    expect([status, json.error]).toEqual([
      404,
      expect.objectContaining({ code: "previous_response_not_found", param: "previous_response_id" }),
    ]);
  });
});

describe("a stream that fails", () => {
  it("has an error in the shape of Open Responses, before the failed response", async () => {
    const { model, stream } = await serveHelper();
    model.stream = async function* fail() {
      yield { type: "text", text: "Ö" };
      throw await Promise.resolve(new TroupeError("model_failed", "The model failed."));
    };
    const [error, failed] = (await stream({ input: "Hi" })).slice(-2);
    const payload = { code: "model_failed", message: "The model failed.", param: null };

    expect(error).toMatchObject({ type: "error", ...payload, error: { type: "server_error", ...payload } });
    expect(responseResource.parse(failed?.response)).toMatchObject({
      status: "failed",
      error: { code: "model_failed" },
    });
  });
});

describe("a case of the Open Responses suite for what this service does not have", () => {
  it.each([
    ["compact-response", { model: "helper", input: "Hi" }],
    ["compact-missing-model", { input: "Hi" }],
  ])("%s: compaction is refused as an error of the client", async (_name, body) => {
    const { post } = await serveHelper();
    const { status, json } = await post("/v1/responses/compact", body);
    expect([400, 422]).toContain(status);
    expect(json.error).toMatchObject({ type: "invalid_request_error", message: expect.any(String) });
  });

  it.each([
    "websocket-response",
    "websocket-sequential-responses",
    "websocket-continuation",
    "websocket-reconnect-store-false-recovery",
    "websocket-previous-response-not-found",
    "websocket-failed-continuation-evicts-cache",
    "websocket-compact-new-chain",
  ])("%s: an upgrade to a WebSocket is answered over HTTP, as a wrong method", async () => {
    const { url } = await serveHelper();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    socket.write(["GET /v1/responses HTTP/1.1", "Host: 127.0.0.1", ...upgrade, key, "", ""].join("\r\n"));
    let answer = "";
    for await (const bytes of socket) {
      answer += String(bytes);
      if (answer.includes('"error"')) break;
    }
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });
});
