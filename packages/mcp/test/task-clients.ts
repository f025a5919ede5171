import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { watchTransport } from "@troupe-internal/stream-grammars";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { RequestHandler } from "express";
import { onTestFinished } from "vitest";
import { post } from "./serve-http.ts";

/** An agent that pays, after an approval, as often as it is told, and what it has paid. */
export function createCashier(): { cashier: Agent; paid: number[] } {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: ({ amount }) => `Paid ${paid.push(Number(amount)) && Number(amount)}.`,
  });
  const locate = defineTool({ name: "locate", description: "Tells the city.", parameters: { type: "object" } });
  const model = new ScriptedModel().respond(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool")
      return `It says: ${messages
        .filter(({ role }) => role === "tool")
        .map(({ content }) => JSON.stringify(content))
        .join(" ")}`;
    if (last?.content === "Where?") return { toolCalls: [{ name: "locate" }] };
    return {
      toolCalls: [1, 2]
        .slice(0, last?.content === "Pay twice." ? 2 : 1)
        .map((amount) => ({ name: "pay", arguments: { amount } })),
    };
  });
  return { cashier: new Agent({ name: "cashier", model, tools: [pay, locate] }), paid };
}

/** Connects the official client of version 1, whose revision is 2025-11-25, until the test is over. */
export async function connectFirst(
  url: string,
  { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  await client.connect(watchTransport(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })));
  onTestFinished(async () => await client.close());
  return client;
}

/** Calls ask_helper as a task of revision 2025-11-25, and returns the task's id. */
export async function startTask(client: Client, message: string, task: object = {}): Promise<string> {
  const params = { name: "ask_helper", arguments: { message }, task };
  for await (const event of client.experimental.tasks.callToolStream(params, undefined, { task: task as never })) {
    if (event.type === "taskCreated") return event.task.taskId;
    throw event.type === "error" ? event.error : new Error(`Got ${event.type} in place of a task.`);
  }
  throw new Error("There is no task.");
}

/** The answer of JSON-RPC to a request by hand. */
export type Reply = {
  result: Record<string, never> & ModernTask;
  error: { code: number; message: string; data?: unknown };
};

/** A task of revision 2026-07-28. */
export type ModernTask = {
  resultType: string;
  taskId: string;
  status: string;
  ttlMs: number | null;
  result?: { content: { text: string }[]; isError?: boolean };
  inputRequests?: Record<string, { method: string; params: { message: string } }>;
};

/** A client of revision 2026-07-28 that takes tasks, by hand. */
export class ModernClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #capabilities: object;

  constructor(
    url: string,
    { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
  ) {
    this.#url = url;
    this.#headers = headers;
    this.#capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} }, ...capabilities };
  }

  async send(method: string, params: object = {}): Promise<Reply> {
    const reply = await post(this.#url, method, { params, headers: this.#headers, capabilities: this.#capabilities });
    return (await reply.json()) as Reply;
  }

  async call(name: string, args: object): Promise<ModernTask> {
    return (await this.send("tools/call", { name, arguments: args })).result;
  }

  async get(taskId: string): Promise<ModernTask> {
    return (await this.send("tasks/get", { taskId })).result;
  }
}

/** Takes the user that headers name as authenticated, see `headersOf`. */
export const userOfHeader: RequestHandler = (request, _response, next) => {
  const { "x-user": userId, "x-tenant": tenantId } = request.headers;
  if (userId !== undefined) Object.assign(request, { principal: { userId, ...(tenantId && { tenantId }) } });
  next();
};

/** Returns the headers that sign a user in. */
export function headersOf({ userId, tenantId }: { userId: string; tenantId?: string }): Record<string, string> {
  return { "x-user": userId, ...(tenantId !== undefined && { "x-tenant": tenantId }) };
}
