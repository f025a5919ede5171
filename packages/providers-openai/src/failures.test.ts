import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { openai } from "./index.ts";
import { failureOf, modelOf, question, startVendor, streamed } from "../test/ask.ts";

it("a model gives a whole answer the time of timeoutMs to begin", async () => {
  const vendor = await startVendor();
  vendor.plan({ answer: "Yes.", delivery: { fault: { kind: "hang", at: "before-headers" } } });

  const error = await failureOf(modelOf(vendor, { timeoutMs: 50 }).generate(question));

  expect(error).toMatchObject({ code: "timeout", networkCode: "ETIMEDOUT" });
});

/** A server that answers every request in one way. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`;
}

describe("what stands before a vendor", () => {
  it.each([
    ["a word alone", '{"error":"model is loading"}', 500],
    ["a number for a code", '{"error":{"message":"no","type":"BadRequestError","code":400}}', 500],
    ["an error that is flat", '{"object":"error","message":"no","code":40303}', 500],
    ["an error in place of a choice", '{"error":{"message":"upstream","code":503}}', 200],
    ["nothing", "", 200],
    ["no object", "null", 200],
    ["no choice", '{"choices":[]}', 200],
  ])("may answer with %s", async (_what, body, status) => {
    const baseURL = await serve((_request, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
    const model = openai("some-model", { baseURL });

    expect(await failureOf(model.generate(question))).toMatchObject({ name: "ModelError", code: "model_failed" });
    expect(await failureOf(streamed(model))).toMatchObject({ name: "ModelError", code: "model_failed" });
  });

  it("may end its answer without saying that it is done", async () => {
    const baseURL = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end('data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n');
    });

    const chunks = await streamed(openai("some-model", { baseURL }));

    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });
});
