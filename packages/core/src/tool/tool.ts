import type { Artifact } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ObjectSchema } from "../schema/object-schema.ts";

/** Options of the cache of a tool: equal calls get the same result for `ttl` milliseconds. */
export type ToolCacheConfig = { ttl: number };

/** The result of a tool: text for the model, and artifacts that the model does not see. */
export type ToolResult = { content: string; artifacts?: Artifact[] };

/** The effect of a call that is repeated: none (`pure`), the same (`idempotent`), another one (`once`). */
export type ToolEffect = "pure" | "idempotent" | "once";

/** A tool: something that a model may call. */
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

/** A source of tools: a toolkit, a tool server. */
export interface ToolSource {
  /** Returns the tools, connecting first where that is needed. Called again, it returns the same names. */
  getTools(): Promise<ToolDef[]>;
  /** Releases what the source holds. Closing twice is safe. */
  close?(): Promise<void>;
}
