import { cutText } from "@troupe/core/kit";
import type { JsonSchema, RunContext, ToolContext, ToolDef, ToolEffect, ToolReturn } from "@troupe/core";
import type { Progress } from "@modelcontextprotocol/client";
import { headerMark, withoutHeaderMarks } from "./header-marks.ts";
import { isLetThrough } from "./list-tools.ts";
import type { ListedTool } from "./list-tools.ts";
import type { McpSettings } from "./mcp-options.ts";
import { checkOutput } from "./output-check.ts";
import type { OutputCheck } from "./output-check.ts";
import { nameTools } from "./tool-names.ts";

const longestTimerMs = 2 ** 31 - 1;

/**
 * A function that calls a listed tool of an MCP server. It receives the check of the tool's output, and a callback for
 * its progress.
 */
export type CallTool = (call: {
  readonly tool: ListedTool;
  readonly checkOutput: OutputCheck;
  readonly args: Record<string, unknown>;
  readonly context: RunContext;
  readonly onProgress: (progress: Progress) => void;
}) => Promise<ToolReturn>;

/**
 * Makes the tools of one connection to an MCP server for agents. A tool whose definition is unchanged in a new listing
 * stays the same object, which keeps its prepared data.
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

  /** Makes the tools that `tools.allow` and `tools.deny` let through. The server's tool names must be unique. */
  make(listed: readonly ListedTool[]): ToolDef[] {
    // All tools are named before some are omitted, so that `tools.allow` and `tools.deny` change no names.
    const names = nameTools(
      this.#settings.name,
      listed.map(({ name }) => name),
    );
    const made = new Map<string, ToolDef>();
    for (const [index, tool] of listed.entries()) {
      if (!isLetThrough(tool.name, this.#settings)) continue;
      const name = names[index] ?? tool.name;
      const definition = JSON.stringify([name, tool]);
      const hasMarks = definition.includes(headerMark);
      made.set(definition, this.#made.get(definition) ?? this.#toToolDef(tool, { name, hasMarks }));
    }
    this.#made = made;
    this.#warnOfUnknown(listed);
    return [...made.values()];
  }

  /** Warns once about names in `allow` and `deny` that the server does not have, such as misspelt names. */
  #warnOfUnknown(listed: readonly ListedTool[]): void {
    const { name: server, tools: { allow = [], deny = [] } = {}, logger } = this.#settings;
    const known = new Set(listed.map(({ name }) => name));
    const unknown = [...allow, ...deny].filter((name) => !known.has(name) && !this.#reported.has(name));
    if (unknown.length === 0) return;
    for (const name of unknown) this.#reported.add(name);
    logger?.warn(`The MCP server ${JSON.stringify(server)} has no tools of these names in tools.allow or tools.deny.`, {
      unknown,
    });
  }

  #toToolDef(tool: ListedTool, { name, hasMarks }: { name: string; hasMarks: boolean }): ToolDef {
    const { name: server, timeoutMs, maxOutputBytes, trustAnnotations } = this.#settings;
    const { inputSchema, outputSchema } = tool;
    const { $schema: _dialect, ...parameters } = hasMarks
      ? (withoutHeaderMarks(inputSchema) as JsonSchema)
      : inputSchema;
    const check = checkOutput(outputSchema);
    return {
      name,
      description: tool.description.trim().toWellFormed() || `The tool ${tool.name} of ${server}.`,
      parameters,
      effect: trustAnnotations ? toEffect(tool) : "once",
      // This limit is a little longer than the limit of the exchange itself, so that the more precise error of the
      // exchange is reported.
      timeoutMs: Math.min(timeoutMs + 5000, longestTimerMs),
      ...(maxOutputBytes !== undefined && { maxOutputBytes }),
      execute: async (args, context) => {
        const onProgress = (progress: Progress) => reportProgress(context, progress);
        return await this.#call({ tool, checkOutput: check, args, context, onProgress });
      },
    };
  }
}

function toEffect({ isReadOnly, isIdempotent }: ListedTool): ToolEffect {
  if (isReadOnly) return "pure";
  return isIdempotent ? "idempotent" : "once";
}

const longestMessage = 1000;

function reportProgress(context: RunContext, { progress, total, message }: Progress): void {
  const { report } = context as Partial<ToolContext>;
  report?.({
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: cutText(message, longestMessage) }),
  });
}
