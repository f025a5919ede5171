import { rulesOf } from "../rule.ts";

/** The tool-server client. */
export const mcpRules = rulesOf("@troupe/mcp", {
  "mcp.name": "a server's name stands before its tools' names",
  "mcp.stdio": "stdio spawns a command with arguments and environment",
  "mcp.http": "http speaks to a URL with headers",
  "mcp.connect": "connect opens the connection",
  "mcp.get-tools": "getTools lists tools",
  "mcp.refresh": "refresh finds tools anew",
  "mcp.close": "close ends it",
});
