import { Agent } from "@troupe/core";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { openai } from "@troupe/providers-openai";

const { HOST: host = "127.0.0.1", PORT: port, GRACE_MS: graceMs = "25000" } = process.env;
const helper = new Agent({ name: "helper", model: openai("gpt-6.1-sol") });
const service = createService({ agents: { helper } });
const { url } = await serve(service, [http()], { host, port });
closeOnSignals(service, { graceMs: Number(graceMs) });
console.log(`${url} is ready.`);
