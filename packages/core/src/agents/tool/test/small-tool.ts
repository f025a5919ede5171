import type { ExecutableTool } from "../../run/tool.ts";

/** A tool that takes any object, and returns "done" by default. */
export function smallTool(name: string, more: Partial<ExecutableTool> = {}): ExecutableTool {
  return { name, description: `Does ${name}.`, parameters: { type: "object" }, execute: () => "done", ...more };
}

/** A tool that never returns and ignores its signal. */
export function hangingTool(name: string, more: Partial<ExecutableTool> = {}): ExecutableTool {
  return smallTool(name, { execute: async () => await new Promise<string>(() => {}), ...more });
}
