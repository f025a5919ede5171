import assert from "node:assert/strict";
import { createLogger, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { problems1 } from "./schemas.ts";
import { callRest, streamRest } from "./rest-calls.ts";
import { message1, scriptedAgent, serveA2A } from "./serve-a2a.ts";
import type { CallOptions, Received, Reply, ServedA2A } from "./serve-a2a.ts";

/** The bindings of A2A 1.0 that a server has. */
export const bindings = ["JSONRPC", "HTTP+JSON"] as const;

/** A binding of A2A 1.0. */
export type BindingName = (typeof bindings)[number];

/** A server by its address, with the functions that call it by hand. */
type Calls = Pick<ServedA2A, "url" | "call" | "stream">;

/**
 * A client of A2A 1.0 that checks the frame and the shape of all that it gets. It calls as Ada, unless told otherwise. Over both
 * bindings its calls have the names and the codes of JSON-RPC.
 */
export class CheckedClient {
  readonly served: Calls;
  readonly #binding: BindingName;

  constructor(served: Calls, binding: BindingName = "JSONRPC") {
    this.served = served;
    this.#binding = binding;
  }

  async call(method: string, params: object, options: CallOptions = { as: "ada" }): Promise<Reply> {
    const isRest = this.#binding === "HTTP+JSON";
    const reply = isRest
      ? await callRest(this.served.url, { name: method, params, options: withVersion(options) })
      : await this.served.call(method, params, withVersion(options));
    if (!isRest) assert.equal(reply.status, 200);
    assert.equal(reply.headers.get("content-type"), "application/json");
    assert.deepEqual(reply.error === undefined ? [] : problems1("Error", reply.error), []);
    return reply;
  }

  /** Sends a message and returns its task. */
  async send(text: string, fields: object = {}, options?: CallOptions): Promise<Received["task"]> {
    const { result } = await this.call("SendMessage", { ...message1(text, fields), ...fields }, options);
    assert.deepEqual(problems1("SendMessageResponse", result), []);
    return result.task;
  }

  /** Opens a stream; yields its events. */
  async *stream(method: string, params: object, options: CallOptions = { as: "ada" }): AsyncGenerator<Received, void> {
    const events =
      this.#binding === "HTTP+JSON"
        ? streamRest(this.served.url, { name: method, params, options: withVersion(options) })
        : this.served.stream(method, params, withVersion(options));
    for await (const event of events) {
      assert.deepEqual(problems1("StreamResponse", event), []);
      yield event;
    }
  }
}

function withVersion(options: CallOptions): CallOptions {
  return { ...options, headers: { "a2a-version": "1.0", ...options.headers } };
}

const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  parameters: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  needsApproval: true,
  execute: () => "done",
});

/** The field of a message for the agent whose tool waits for an approval. */
export const toPayer = { tenant: "payer" };

/**
 * Serves an agent that answers every message, and ends each answer once it may, and one whose tool waits for an approval
 * before it answers.
 */
export async function serveChecked(
  binding?: BindingName,
  mayEnd: Promise<void> = Promise.resolve(),
): Promise<CheckedClient> {
  const answers = Array.from({ length: 20 }, (_, index) => ({ text: `Answer ${index + 1}.` }));
  const toolCalls = [{ id: "c1", name: "pay", arguments: { amount: 5 } }];
  const asking = [{ toolCalls }, { text: "Paid." }, { toolCalls }, { text: "Paid again." }];
  const model = new ScriptedModel(...answers);
  const stream = model.stream.bind(model);
  model.stream = async function* endLater(messages, options) {
    for await (const chunk of stream(messages, options)) {
      if (chunk.type === "finish") await mayEnd;
      yield chunk;
    }
  };
  const served = await serveA2A({
    agents: {
      plain: scriptedAgent([], { name: "plain", model }),
      payer: scriptedAgent(asking, { name: "payer", tools: [pay] }),
    },
    logger: createLogger({ level: "silent" }),
  });
  return new CheckedClient(served, binding);
}
