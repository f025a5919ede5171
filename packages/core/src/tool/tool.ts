import type { Artifact } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ObjectSchema } from "../schema/object-schema.ts";

/** How long equal calls may be answered from memory. */
export type ToolCacheConfig = { ttl: number };

/** What a tool gives back: text for the model, and artifacts that pass the model by. */
export type ToolResult = { content: string; artifacts?: Artifact[] };

/** What happens when a call is made twice: nothing (`pure`), the same again (`idempotent`), something new (`once`). */
export type ToolEffect = "pure" | "idempotent" | "once";

/** Something a model may call. */
export type ToolDef = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  description: string;
  parameters: ObjectSchema;
  /** Called with arguments that fit `parameters`. What it throws is told to the model as an error. */
  execute(args: Record<string, unknown>, context: RunContext): string | ToolResult | Promise<string | ToolResult>;
  cache?: ToolCacheConfig;
  /** @default 60000 */
  timeoutMs?: number;
  /** @default 262144 */
  maxOutputBytes?: number;
  /** @default "once" */
  effect?: ToolEffect;
};

/** Where tools come from: a toolkit, a tool server. */
export interface ToolSource {
  /** Returns the tools, connecting first where that is needed. Called again, it returns the same names. */
  getTools(): Promise<ToolDef[]>;
  /** Releases what the source holds. Closing twice is safe. */
  close?(): Promise<void>;
}
