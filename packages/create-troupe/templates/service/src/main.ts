import { closeOnSignals, serve } from "@troupe/core/service";
import { createAgents } from "./service.ts";

const { service, protocols } = createAgents();
// The operator is `||`, because an empty variable counts as unset.
const { url } = await serve(service, protocols, {
  port: process.env["PORT"] || 3000,
  host: process.env["HOST"] || "127.0.0.1",
}).catch((error: Error) => {
  // A taken port or a wrong one: its sentence says enough, without a stack.
  console.error(error.message);
  process.exit(1);
});
closeOnSignals(service);
console.log(`The page is at ${url}, the API at ${url}/agents, and MCP at ${url}/mcp.`);
