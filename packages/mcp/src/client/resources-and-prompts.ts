import type { ContentPart } from "@troupe/core";
import { askServer, BadAnswer, listPages } from "./ask-server.ts";
import type { Connection } from "./connection.ts";
import { fieldsOf, readBlocks, readResourceParts } from "./read-content.ts";
import type { RawResult } from "./slim-message.ts";

/** A resource that an MCP server offers, such as a file: its URI and the server's description. */
export type McpResource = {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
};

/** A family of resources that an MCP server offers: a template of their URIs (RFC 6570), such as `file:///{path}`. */
export type McpResourceTemplate = Omit<McpResource, "uri" | "size"> & { uriTemplate: string };

/** A prompt that an MCP server offers, and its arguments. */
export type McpPrompt = {
  name: string;
  title?: string;
  description?: string;
  arguments: { name: string; description?: string; required: boolean }[];
};

/** The messages of an MCP server's prompt, in the form that a run accepts. */
export type McpPromptMessages = {
  description?: string;
  messages: { role: "user" | "assistant"; content: ContentPart[] }[];
};

/** The time limit and signal of a request to an MCP server. */
export type AskOptions = { readonly timeoutMs: number; readonly signal: AbortSignal | undefined };

/** Lists all resources of an MCP server. */
export async function listResources(connection: Connection, options: AskOptions): Promise<McpResource[]> {
  const list = { method: "resources/list", field: "resources", capability: "resources" } as const;
  return await listAll(connection, { ...list, ...options }, (fields) => {
    const { size } = fields;
    return { uri: required(fields, "uri"), ...aboutOf(fields), ...(typeof size === "number" && { size }) };
  });
}

/** Lists all resource templates of an MCP server. */
export async function listResourceTemplates(
  connection: Connection,
  options: AskOptions,
): Promise<McpResourceTemplate[]> {
  const list = { method: "resources/templates/list", field: "resourceTemplates", capability: "resources" } as const;
  return await listAll(connection, { ...list, ...options }, (fields) => {
    return { uriTemplate: required(fields, "uriTemplate"), ...aboutOf(fields) };
  });
}

/** Reads a resource of an MCP server as content parts. */
export async function readResource(connection: Connection, uri: string, options: AskOptions): Promise<ContentPart[]> {
  const { contents } = await connection.exchange({
    ...options,
    what: "the reading of a resource",
    isRepeatable: true,
    send: async (client, ask) => await askServer(client, { method: "resources/read", params: { uri } }, ask),
  });
  return readResourceParts(Array.isArray(contents) ? contents : []);
}

/** Lists all prompts of an MCP server. */
export async function listPrompts(connection: Connection, options: AskOptions): Promise<McpPrompt[]> {
  const list = { method: "prompts/list", field: "prompts", capability: "prompts" } as const;
  return await listAll(connection, { ...list, ...options }, (fields) => {
    const taken: unknown = fields["arguments"];
    const args = (Array.isArray(taken) ? taken : []).map((each) => {
      const argument = fieldsOf(each);
      return {
        ...textsOf(argument, ["description"]),
        name: required(argument, "name"),
        required: argument["required"] === true,
      };
    });
    return { ...textsOf(fields, ["title", "description"]), name: required(fields, "name"), arguments: args };
  });
}

/** Returns the messages of an MCP server's prompt with its arguments filled in. */
export async function getPrompt(
  connection: Connection,
  { name, args }: { name: string; args: Record<string, string> },
  options: AskOptions,
): Promise<McpPromptMessages> {
  const prompt = await connection.exchange({
    ...options,
    what: "a prompt",
    isRepeatable: true,
    send: async (client, ask) => {
      return await askServer(client, { method: "prompts/get", params: { name, arguments: args } }, ask);
    },
  });
  const { messages } = prompt;
  const filled = (Array.isArray(messages) ? messages : []).map(async (message) => {
    const { role, content } = fieldsOf(message);
    const { parts } = await readBlocks([content], connection.mask);
    return { role: role === "assistant" ? ("assistant" as const) : ("user" as const), content: parts };
  });
  return { ...textsOf(prompt, ["description"]), messages: await Promise.all(filled) };
}

/** Largest number of entries in a list of resources, templates or prompts. */
const mostEntries = 10_000;

type List = AskOptions & { method: string; field: string; capability: "resources" | "prompts" };

async function listAll<Entry>(
  connection: Connection,
  { method, field, capability, ...options }: List,
  read: (fields: RawResult) => Entry,
): Promise<Entry[]> {
  return await connection.exchange({
    ...options,
    what: `the list of its ${field === "resourceTemplates" ? "resource templates" : field}`,
    isRepeatable: true,
    send: async (client, ask) => {
      const entries: Entry[] = [];
      // A server without this capability may answer with an error, so no request is sent.
      if (client.getServerCapabilities()?.[capability] === undefined) return entries;
      for await (const page of listPages(client, { method, field }, ask)) {
        if (entries.length + page.length > mostEntries) throw new BadAnswer(`it has more than ${mostEntries} entries`);
        entries.push(...page.map((each) => read(fieldsOf(each))));
      }
      return entries;
    },
  });
}

function aboutOf(fields: RawResult): { name: string; title?: string; description?: string; mimeType?: string } {
  return { ...textsOf(fields, ["title", "description", "mimeType"]), name: required(fields, "name") };
}

function required(fields: RawResult, name: string): string {
  const { [name]: value } = fields;
  if (typeof value !== "string") throw new BadAnswer(`an entry has no ${name}`);
  return value;
}

/** Returns the named fields of a server's object whose values are strings. */
function textsOf<Name extends string>(fields: RawResult, names: readonly Name[]): { [Field in Name]?: string } {
  const own = names.flatMap((name) => (typeof fields[name] === "string" ? [[name, fields[name]]] : []));
  return Object.fromEntries(own) as { [Field in Name]?: string };
}
