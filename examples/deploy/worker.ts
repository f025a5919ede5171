import { Agent } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import type { WebHandler } from "@troupe/core/service";
import { http } from "@troupe/http";
import { openai } from "@troupe/providers-openai";

type Env = { readonly OPENAI_API_KEY: string };
type Context = { waitUntil(work: Promise<unknown>): void };

let handler: WebHandler | undefined;

/** Secrets come with the first request: a Worker has no environment before. */
function makeHandler({ OPENAI_API_KEY: apiKey }: Env): WebHandler {
  const helper = new Agent({ name: "helper", model: openai("gpt-6.1-sol", { apiKey }) });
  return createHandler(createService({ agents: { helper } }), [http()]);
}

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    handler ??= makeHandler(env);
    return await handler(request, context); // whose `waitUntil` keeps the Worker for the end of a run
  },
};
