import type { ContentPart } from "@troupe/core";
import type { Connection } from "./connection.ts";
import { readBlocks, readResourceParts } from "./read-result.ts";

/** A resource that a server offers, such as a file: its URI, by which it is read, and what the server says of it. */
export type McpResource = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
};

/** A family of resources that a server offers: a template of their URIs (RFC 6570), such as `file:///{path}`. */
export type McpResourceTemplate = Omit<McpResource, "uri" | "size"> & { uriTemplate: string };

/** A prompt that a server offers, and the arguments that it takes. */
export type McpPrompt = {
  name: string;
  title?: string;
  description?: string;
  arguments: { name: string; description?: string; required: boolean }[];
};

/** The messages of a prompt, as a run takes them. */
export type McpPromptMessages = {
  description?: string;
  messages: { role: "user" | "assistant"; content: ContentPart[] }[];
};

/** The time limit and signal of a question to a server. */
export type AskOptions = { readonly timeoutMs: number; readonly signal: AbortSignal | undefined };

/** Lists the resources of all pages. */
export async function listResources(connection: Connection, options: AskOptions): Promise<McpResource[]> {
  const { resources } = await connection.exchange({
    ...options,
    what: "the list of its resources",
    isRepeatable: true,
    send: async (client, ask) => {
      // Asked of a server without resources, the library writes to the console.
      if (client.getServerCapabilities()?.resources === undefined) return { resources: [] };
      return await client.listResources(undefined, { ...ask, cacheMode: "refresh" });
    },
  });
  return resources.map(({ uri, name, title, description, mimeType, size }) => {
    return defined<McpResource>({ uri, name, title, description, mimeType, size });
  });
}

/** Lists the templates of resources of all pages. */
export async function listResourceTemplates(
  connection: Connection,
  options: AskOptions,
): Promise<McpResourceTemplate[]> {
  const { resourceTemplates } = await connection.exchange({
    ...options,
    what: "the list of its resource templates",
    isRepeatable: true,
    send: async (client, ask) => {
      if (client.getServerCapabilities()?.resources === undefined) return { resourceTemplates: [] };
      return await client.listResourceTemplates(undefined, { ...ask, cacheMode: "refresh" });
    },
  });
  return resourceTemplates.map(({ uriTemplate, name, title, description, mimeType }) => {
    return defined<McpResourceTemplate>({ uriTemplate, name, title, description, mimeType });
  });
}

/** Reads a resource as content parts. */
export async function readResource(connection: Connection, uri: string, options: AskOptions): Promise<ContentPart[]> {
  const { contents } = await connection.exchange({
    ...options,
    what: "the reading of a resource",
    isRepeatable: true,
    send: async (client, ask) => await client.readResource({ uri }, { ...ask, cacheMode: "refresh" }),
  });
  return readResourceParts(contents);
}

/** Lists the prompts of all pages. */
export async function listPrompts(connection: Connection, options: AskOptions): Promise<McpPrompt[]> {
  const { prompts } = await connection.exchange({
    ...options,
    what: "the list of its prompts",
    isRepeatable: true,
    send: async (client, ask) => {
      // Asked of a server without prompts, the library writes to the console.
      if (client.getServerCapabilities()?.prompts === undefined) return { prompts: [] };
      return await client.listPrompts(undefined, { ...ask, cacheMode: "refresh" });
    },
  });
  return prompts.map(({ name, title, description, arguments: taken = [] }) => {
    const args = taken.map((each) => {
      return { ...defined({ name: each.name, description: each.description }), required: each.required === true };
    });
    return defined<McpPrompt>({ name, title, description, arguments: args });
  });
}

/** Returns the messages of a prompt with its arguments filled in. */
export async function getPrompt(
  connection: Connection,
  { name, args }: { name: string; args: Record<string, string> },
  options: AskOptions,
): Promise<McpPromptMessages> {
  const { description, messages } = await connection.exchange({
    ...options,
    what: "a prompt",
    isRepeatable: true,
    send: async (client, ask) => await client.getPrompt({ name, arguments: args }, ask),
  });
  const filled = messages.map(({ role, content }) => ({ role, content: readBlocks([content], connection.mask) }));
  return defined<McpPromptMessages>({ description, messages: filled });
}

/** Leaves out the fields that a server did not set. */
function defined<Shape extends object>(fields: { [Name in keyof Shape]: Shape[Name] | undefined }): Shape {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Shape;
}
