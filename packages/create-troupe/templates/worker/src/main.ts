import { closeOnSignals, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { createAgents } from "./service.ts";

// A worker performs the runs of the queue, and answers probes and requests over HTTP.
const service = createAgents();
const { url } = await serve(service, [http()], {
  port: process.env["PORT"] || 3000,
  host: process.env["HOST"] || "127.0.0.1",
}).catch((error: Error) => {
  // A taken port or a wrong one: its sentence says enough, without a stack.
  console.error(error.message);
  process.exit(1);
});
closeOnSignals(service);
const kept = process.env["DATABASE_URL"]
  ? "in PostgreSQL"
  : "in .data/runs.db: set DATABASE_URL to have several workers";
console.log(`The worker performs runs, which are kept ${kept}. Its API is at ${url}/agents.`);
