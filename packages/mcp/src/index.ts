export { McpToolServer } from "./client/mcp-tool-server.ts";
export type { McpFetch, McpHeaders, McpToolServerOptions } from "./client/mcp-options.ts";
export type {
  McpElicitation,
  McpElicitationAnswer,
  McpHandlers,
  McpSampling,
  McpSamplingAnswer,
} from "./client/host-handlers.ts";
export type { McpPrompt, McpPromptMessages, McpResource, McpResourceTemplate } from "./client/resources-and-prompts.ts";
export { mcp } from "./server/mcp.ts";
export type { McpProtocol } from "./server/mcp.ts";
export { createMcpServer } from "./server/create-mcp-server.ts";
export type { McpServer } from "./server/create-mcp-server.ts";
export type { McpCallTool, McpExtend, McpExtendContext, McpNotify } from "./server/extension.ts";
export type { McpOptions, McpServerOptions } from "./server/mcp-server-options.ts";
