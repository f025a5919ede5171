import type { Artifact } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ObjectSchema } from "../schema/object-schema.ts";

/**
 * Options of the cache of a tool: equal calls of one user with the same API keys get the same result for `ttl`
 * milliseconds. Failures are not cached.
 */
export type ToolCacheConfig = { ttl: number };

/** The result of a tool: text for the model, and artifacts that the model does not see. */
export type ToolResult = { content: string; artifacts?: Artifact[] };

/**
 * The effect of executing a tool: it changes nothing (`pure`), a repetition of a call changes nothing more
 * (`idempotent`), or each execution has an effect of its own (`once`).
 */
export type ToolEffect = "pure" | "idempotent" | "once";

/**
 * A tool that a model may call: its name, description and argument schema, and the function that executes a call. Made
 * by `defineTool`, or a plain object.
 */
export type ToolDef = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  description: string;
  parameters: ObjectSchema;
  /** Called with arguments that fit `parameters`. The message of what it throws is given to the model as an error. */
  execute(args: Record<string, unknown>, context: RunContext): string | ToolResult | Promise<string | ToolResult>;
  cache?: ToolCacheConfig;
  /** @default 60000 */
  timeoutMs?: number;
  /** @default 262144 */
  maxOutputBytes?: number;
  /** @default "once" */
  effect?: ToolEffect;
};

/**
 * A source of tools that are loaded when a run begins, such as a toolkit or a tool server; given to an agent among its
 * tools.
 */
export interface ToolSource {
  /** Returns the tools, connecting first where that is needed. Called again, it returns the same names. */
  getTools(): Promise<ToolDef[]>;
  /** Releases what the source holds. Closing twice is safe. */
  close?(): Promise<void>;
}
