/** All that a model knows of a tool. */
export type ToolSpec = { name: string; description: string; parameters: Record<string, unknown> };
