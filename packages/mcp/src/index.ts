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
export { createMcpServer } from "./server/create-mcp-server.ts";
export type { McpServer } from "./server/create-mcp-server.ts";
export type { McpCallTool, McpExtend, McpExtendContext, McpNotify } from "./server/extension.ts";
export type { McpHostRunOptions, McpRunOptions } from "./server/call-tool.ts";
export type { McpShutdown } from "./server/running-calls.ts";
export type { McpRequest } from "./server/answer-request.ts";
export type { McpServerOptions } from "./server/mcp-server-options.ts";
