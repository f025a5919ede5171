export { McpToolServer } from "./client/mcp-tool-server.ts";
export type { McpFetch, McpHeaders, McpToolServerOptions } from "./client/mcp-options.ts";
export type {
  McpElicitation,
  McpElicitationAnswer,
  McpHandlers,
  McpSampling,
  McpSamplingAnswer,
} from "./client/host-handlers.ts";
export type { McpPrompt, McpPromptMessages, McpResource } from "./client/resources-and-prompts.ts";
