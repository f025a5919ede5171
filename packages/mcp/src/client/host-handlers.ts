import type { ContentPart, JsonSchema, Logger } from "@troupe/core";
import { createMasker } from "@troupe/core/kit";
import type { Client, ElicitRequestParams } from "@modelcontextprotocol/client";
import { readBlocks } from "./read-content.ts";

/** An MCP server's request to ask the user: for the values of a form, or to visit a URL. */
export type McpElicitation =
  | { readonly mode: "form"; readonly message: string; readonly schema: JsonSchema }
  | { readonly mode: "url"; readonly message: string; readonly url: string };

/**
 * The user's answer to a question of an MCP server: form values, a refusal, or a cancel. Values with a default in the
 * schema may be absent.
 */
export type McpElicitationAnswer =
  | { action: "accept"; content?: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };

/** An MCP server's request to call a model. The host decides whether to do so, and with which model. */
export type McpSampling = {
  readonly messages: readonly { role: "user" | "assistant"; content: ContentPart[] }[];
  readonly systemPrompt?: string;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
};

/** The answer of the model that the host called for a server. */
export type McpSamplingAnswer = { text: string; model: string };

/**
 * Functions of the host that answer requests of an MCP server. Without a function, the server learns that such requests
 * are not supported.
 */
export type McpHandlers = {
  /** Asks the user a question of the server. Never return information that the user did not intend for this server. */
  onElicitation?:
    | ((request: McpElicitation, signal: AbortSignal) => McpElicitationAnswer | Promise<McpElicitationAnswer>)
    | undefined;
  /** Calls a model for the server at the host's expense: check the request first. */
  onSampling?:
    | ((request: McpSampling, signal: AbortSignal) => McpSamplingAnswer | Promise<McpSamplingAnswer>)
    | undefined;
};

/** Returns the capabilities that a client declares: the capabilities for which the host has handlers. */
export function capabilitiesOf({ onElicitation, onSampling }: McpHandlers): object {
  return {
    ...(onElicitation !== undefined && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(onSampling !== undefined && { sampling: {} }),
  };
}

/** Returns true if the host has a handler for any requests of an MCP server. */
export function hasHandlers({ onElicitation, onSampling }: McpHandlers): boolean {
  return onElicitation !== undefined || onSampling !== undefined;
}

/** Lets the host's handlers answer the server's requests. If a handler fails, the server only learns that it failed. */
export function installHandlers(client: Client, { onElicitation, onSampling }: McpHandlers, logger: Logger): void {
  const shielded = async <Answer>(name: string, handle: () => Answer | Promise<Answer>): Promise<Answer> => {
    try {
      return await handle();
    } catch (error) {
      logger.warn(`The handler ${name} failed.`, { error });
      // The MCP server receives the message of this error, but not its cause.
      throw new Error("The host could not answer.", { cause: error });
    }
  };
  if (onElicitation !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      return await shielded("onElicitation", () => onElicitation(toElicitation(params), mcpReq.signal));
    });
  }
  if (onSampling === undefined) return;
  client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
    const messages = params.messages.map(async ({ role, content }) => ({ role, content: await toParts(content) }));
    const request: McpSampling = {
      messages: await Promise.all(messages),
      maxTokens: params.maxTokens,
      ...(params.systemPrompt !== undefined && { systemPrompt: params.systemPrompt }),
      ...(params.temperature !== undefined && { temperature: params.temperature }),
      ...(params.stopSequences !== undefined && { stopSequences: params.stopSequences }),
    };
    const { text, model } = await shielded("onSampling", () => onSampling(request, mcpReq.signal));
    return { role: "assistant", content: { type: "text", text }, model, stopReason: "endTurn" };
  });
}

function toElicitation(params: ElicitRequestParams): McpElicitation {
  const { message } = params;
  if (params.mode === "url") return { mode: "url", message, url: params.url };
  return { mode: "form", message, schema: params.requestedSchema as unknown as JsonSchema };
}

const noSecrets = createMasker([]);

async function toParts(content: unknown): Promise<ContentPart[]> {
  return (await readBlocks(Array.isArray(content) ? content : [content], noSecrets)).parts;
}
