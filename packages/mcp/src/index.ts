export { McpToolServer } from "./client/mcp-tool-server.ts";
export type { McpFetch, McpHeaders, McpToolServerOptions } from "./client/mcp-options.ts";
