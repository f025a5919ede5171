import { closeOnSignals, serve } from "@troupe/core/service";
import { createAgents } from "./service.ts";

const { service, protocols } = createAgents();
// `||`, because an empty variable is not a setting.
const { url } = await serve(service, protocols, {
  port: process.env["PORT"] || 3000,
  host: process.env["HOST"] || "127.0.0.1",
});
closeOnSignals(service);
console.log(`The page is at ${url}, the API at ${url}/agents, and MCP at ${url}/mcp.`);
