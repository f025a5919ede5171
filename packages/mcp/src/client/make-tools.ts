import type { JsonSchema, RunContext, ToolContext, ToolDef, ToolEffect, ToolReturn } from "@troupe/core";
import type { Progress, Tool } from "@modelcontextprotocol/client";
import type { McpSettings } from "./mcp-options.ts";
import { nameTools } from "./tool-names.ts";

/** The longest description that a model gets, in characters. */
const longestDescription = 8192;
const longestTimerMs = 2 ** 31 - 1;

/** Calls a tool of a server by the server's own name for it, with a function that takes its progress. */
export type CallTool = (call: {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly context: RunContext;
  readonly onProgress: (progress: Progress) => void;
}) => Promise<ToolReturn>;

/**
 * The tools of one connection as an agent takes them. A tool whose definition is the same when the server lists it again
 * stays the same object, so that what was prepared for it is kept.
 */
export class ToolMaker {
  readonly #settings: McpSettings;
  readonly #call: CallTool;
  #made = new Map<string, ToolDef>();
  readonly #reported = new Set<string>();

  constructor(settings: McpSettings, call: CallTool) {
    this.#settings = settings;
    this.#call = call;
  }

  /** Makes the tools that the options let through. */
  make(listed: readonly Tool[]): ToolDef[] {
    const { name: server, tools: { allow, deny = [] } = {} } = this.#settings;
    const unique = [...new Map(listed.map((tool) => [tool.name, tool])).values()];
    // Named before they are chosen, so that a choice changes no name.
    const names = nameTools(
      server,
      unique.map(({ name }) => name),
    );
    const made = new Map<string, ToolDef>();
    for (const [index, tool] of unique.entries()) {
      if (deny.includes(tool.name) || allow?.includes(tool.name) === false) continue;
      const name = names[index] ?? tool.name;
      const definition = JSON.stringify([name, tool]);
      made.set(definition, this.#made.get(definition) ?? this.#toToolDef(tool, name));
    }
    this.#made = made;
    this.#warnOfUnknown(unique);
    return [...made.values()];
  }

  /** Tells once of names in allow and deny that the server does not have, such as misspelt ones. */
  #warnOfUnknown(listed: readonly Tool[]): void {
    const { name: server, tools: { allow = [], deny = [] } = {}, logger } = this.#settings;
    const known = new Set(listed.map(({ name }) => name));
    const unknown = [...allow, ...deny].filter((name) => !known.has(name) && !this.#reported.has(name));
    if (unknown.length === 0) return;
    for (const name of unknown) this.#reported.add(name);
    logger?.warn(`The MCP server ${JSON.stringify(server)} has no tools of these names in tools.allow or tools.deny.`, {
      unknown,
    });
  }

  #toToolDef(tool: Tool, name: string): ToolDef {
    const { name: server, timeoutMs, maxOutputBytes } = this.#settings;
    const description = tool.description ?? tool.title ?? tool.annotations?.title ?? "";
    return {
      name,
      description:
        description.trim().slice(0, longestDescription).toWellFormed() || `The tool ${tool.name} of ${server}.`,
      parameters: toParameters(tool.inputSchema),
      effect: toEffect(tool.annotations),
      // A little longer than the call, so that the call's own error is told.
      timeoutMs: Math.min(timeoutMs + 5000, longestTimerMs),
      ...(maxOutputBytes !== undefined && { maxOutputBytes }),
      execute: async (args, context) => {
        const onProgress = (progress: Progress) => reportProgress(context, progress);
        return await this.#call({ tool: tool.name, args, context, onProgress });
      },
    };
  }
}

function toEffect(annotations: Tool["annotations"]): ToolEffect {
  if (annotations?.readOnlyHint === true) return "pure";
  return annotations?.idempotentHint === true ? "idempotent" : "once";
}

/** Returns the schema as it is, without what is for clients of the protocol alone. */
function toParameters(schema: Tool["inputSchema"]): JsonSchema {
  return without("$schema", withoutHeaderMarks(schema)) as JsonSchema;
}

function withoutHeaderMarks(schema: unknown): object {
  const rest = without("x-mcp-header", schema as object);
  const { properties } = rest as { properties?: unknown };
  if (typeof properties !== "object" || properties === null) return rest;
  const own = Object.entries(properties).map(([name, each]: [string, unknown]) => {
    return [name, typeof each === "object" && each !== null ? withoutHeaderMarks(each) : each];
  });
  return { ...rest, properties: Object.fromEntries(own) as unknown };
}

function without(field: string, schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== field));
}

const longestMessage = 1000;

function reportProgress(context: RunContext, { progress, total, message }: Progress): void {
  const { report } = context as Partial<ToolContext>;
  report?.({
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: message.slice(0, longestMessage) }),
  });
}
