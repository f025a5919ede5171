import { TroupeError } from "@troupe/core";
import type { JsonSchema } from "@troupe/core";
import type { Client } from "@modelcontextprotocol/client";
import { BadAnswer, listPages } from "./ask-server.ts";
import type { AskServerOptions } from "./ask-server.ts";
import { hasValidHeaderMarks, headerMark } from "./header-marks.ts";
import type { McpSettings } from "./mcp-options.ts";
import { measureJson } from "./measure-json.ts";
import { fieldsOf } from "./read-content.ts";

/** A tool of an MCP server, with only those fields of its listing that are used. */
export type ListedTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly isReadOnly: boolean;
  readonly isIdempotent: boolean;
};

/**
 * Lists an MCP server's tools, each name once. Rejects with `unavailable` if the list exceeds a bound of the options:
 * a list is never shortened to fit. Over HTTP in revision 2026-07-28, omits tools whose schemas use `x-mcp-header`
 * incorrectly.
 */
export async function listTools(
  client: Client,
  settings: McpSettings,
  options: AskServerOptions,
): Promise<ListedTool[]> {
  const { maxTools, maxMessageBytes, name: server, transport, logger } = settings;
  // Some servers without tools end the connection when they are asked for tools.
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools = new Map<string, ListedTool>();
  let count = 0;
  let bytes = 0;
  for await (const page of listPages(client, { method: "tools/list", field: "tools" }, options)) {
    count += page.length;
    if (count > maxTools) throw beyond(settings, `more than ${maxTools} tools`, "maxTools");
    for (const item of page) {
      const read = readTool(item, settings);
      bytes += read.bytes;
      // A single page of tools is bounded by its message; this bound is for all pages together.
      if (bytes > maxMessageBytes)
        throw beyond(settings, `tools of more than ${maxMessageBytes} bytes`, "maxMessageBytes");
      tools.set(read.tool.name, read.tool);
    }
  }
  if (client.getProtocolEra() !== "modern" || transport === "stdio") return [...tools.values()];
  return [...tools.values()].filter(({ name, inputSchema }) => {
    const isValid = hasValidHeaderMarks(inputSchema);
    if (!isValid)
      logger?.warn(`A tool of the MCP server ${JSON.stringify(server)} has a wrong ${headerMark}.`, { name });
    return isValid;
  });
}

/** Longest name of an MCP server's tool in characters. The protocol allows 128. */
const longestName = 256;

function readTool(item: unknown, settings: McpSettings): { tool: ListedTool; bytes: number } {
  const { name, title, description, inputSchema, outputSchema, annotations } = fieldsOf(item);
  if (typeof name !== "string" || name === "" || name.length > longestName) {
    throw new BadAnswer(`a tool's name is no string of 1 to ${longestName} characters`);
  }
  const { readOnlyHint, idempotentHint, title: olderTitle } = fieldsOf(annotations);
  const said = [description, title, olderTitle].find((text): text is string => typeof text === "string") ?? "";
  const facts = { name, description: said, isReadOnly: readOnlyHint === true, isIdempotent: idempotentHint === true };
  if (!isLetThrough(name, settings)) return { tool: { ...facts, description: "", inputSchema: {} }, bytes: 0 };
  const { maxDescriptionBytes } = settings;
  const descriptionBytes = Buffer.byteLength(said);
  if (descriptionBytes > maxDescriptionBytes) {
    throw beyond(
      settings,
      `${toolNamed(name)} with a description of more than ${maxDescriptionBytes} bytes`,
      "maxDescriptionBytes",
    );
  }
  const input = readSchema(inputSchema, `${toolNamed(name)} with an inputSchema`, settings);
  const tool = { ...facts, inputSchema: input.schema };
  if (outputSchema === undefined) return { tool, bytes: descriptionBytes + input.bytes };
  const output = readSchema(outputSchema, `${toolNamed(name)} with an outputSchema`, settings);
  return { tool: { ...tool, outputSchema: output.schema }, bytes: descriptionBytes + input.bytes + output.bytes };
}

function readSchema(
  schema: unknown,
  owner: string,
  settings: McpSettings,
): { readonly schema: JsonSchema; readonly bytes: number } {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw new BadAnswer(`it has ${owner} that is no object`);
  }
  const { maxSchemaBytes } = settings;
  const { bytes, exceeded } = measureJson(schema, { bytes: maxSchemaBytes });
  if (exceeded === "depth") throw new BadAnswer(`it has ${owner} that nests too deep`);
  if (exceeded !== undefined) throw beyond(settings, `${owner} of more than ${maxSchemaBytes} bytes`, "maxSchemaBytes");
  return { schema: schema as JsonSchema, bytes };
}

/** Returns true if `tools.allow` and `tools.deny` let through a server's tool with this name. */
export function isLetThrough(name: string, { tools: { allow, deny = [] } = {} }: McpSettings): boolean {
  return !deny.includes(name) && allow?.includes(name) !== false;
}

function toolNamed(name: string): string {
  return `the tool ${JSON.stringify(name)}`;
}

type Bound = "maxTools" | "maxSchemaBytes" | "maxDescriptionBytes" | "maxMessageBytes";

function beyond({ name }: McpSettings, what: string, option: Bound): TroupeError {
  const way = option === "maxTools" || option === "maxMessageBytes" ? "" : ", or leave the tool out by tools.deny";
  const message = `The MCP server ${JSON.stringify(name)} lists ${what}. If you trust it, raise ${option}${way}.`;
  return new TroupeError("unavailable", message, { fields: { server: name, bound: option } });
}

/** Returns true if an error reports that a server's list of tools exceeds a bound of the options. */
export function isRefusedList(error: unknown): error is TroupeError {
  return TroupeError.is(error) && error.fields["bound"] !== undefined;
}
