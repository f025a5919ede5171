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

/** Calls a tool of a server as it was listed, with a check of its output and a function that takes its progress. */
export type CallTool = (call: {
  readonly tool: ListedTool;
  readonly checkOutput: OutputCheck;
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

  /** Makes the tools that the options let through. No two of them have one name of the server. */
  make(listed: readonly ListedTool[]): ToolDef[] {
    // Named before they are chosen, so that a choice changes no name.
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

  /** Tells once of names in allow and deny that the server does not have, such as misspelt ones. */
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
      // A little longer than the call, so that the call's own error is told.
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
