import type { ContentPart } from "@troupe/core";
import { askServer, BadAnswer, listPages } from "./ask-server.ts";
import type { Connection } from "./connection.ts";
import { fieldsOf, readBlocks, readResourceParts } from "./read-content.ts";
import type { RawResult } from "./slim-message.ts";

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
  const list = { method: "resources/list", field: "resources", capability: "resources" } as const;
  return await listAll(connection, { ...list, ...options }, (fields) => {
    const { size } = fields;
    return { uri: required(fields, "uri"), ...aboutOf(fields), ...(typeof size === "number" && { size }) };
  });
}

/** Lists the templates of resources of all pages. */
export async function listResourceTemplates(
  connection: Connection,
  options: AskOptions,
): Promise<McpResourceTemplate[]> {
  const list = { method: "resources/templates/list", field: "resourceTemplates", capability: "resources" } as const;
  return await listAll(connection, { ...list, ...options }, (fields) => {
    return { uriTemplate: required(fields, "uriTemplate"), ...aboutOf(fields) };
  });
}

/** Reads a resource as content parts. */
export async function readResource(connection: Connection, uri: string, options: AskOptions): Promise<ContentPart[]> {
  const { contents } = await connection.exchange({
    ...options,
    what: "the reading of a resource",
    isRepeatable: true,
    send: async (client, ask) => await askServer(client, { method: "resources/read", params: { uri } }, ask),
  });
  return readResourceParts(Array.isArray(contents) ? contents : []);
}

/** Lists the prompts of all pages. */
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

/** Returns the messages of a prompt with its arguments filled in. */
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

/** The most entries of a list of resources, templates or prompts. */
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
      // A server without the capability may answer by an error.
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

/** Keeps those of the named fields that are strings. */
function textsOf<Name extends string>(fields: RawResult, names: readonly Name[]): { [Field in Name]?: string } {
  const own = names.flatMap((name) => (typeof fields[name] === "string" ? [[name, fields[name]]] : []));
  return Object.fromEntries(own) as { [Field in Name]?: string };
}
