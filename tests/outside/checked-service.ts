// The service that each server and runtime is checked with. Its text, without types, is also the program of the runtimes.
import { Agent, InMemoryStorage, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import type { ServiceRequest } from "@troupe/core/service";
import { http } from "@troupe/http";
import { openai } from "@troupe/providers-openai";

/** Signs the user in that the header `x-test-user` names. */
function authenticate({ headers }: ServiceRequest): { userId: string } {
  const userId = headers.get("x-test-user");
  if (userId === null || userId === "") throw new TroupeError("unauthorized", "Send the header x-test-user.");
  return { userId };
}

/** Makes a service of agents over a vendor, with the protocols to speak: runs of `a` and `s` are plain, those of `d` durable. */
export function makeChecked(vendor: string) {
  const storage = new InMemoryStorage();
  const model = openai("m", { apiKey: "sk-of-the-server", baseURL: `${vendor}/v1`, api: "chat" });
  const settings = { model, storage, retry: { maxRetries: 0 } };
  const [a, d] = [new Agent({ name: "a", ...settings }), new Agent({ name: "d", ...settings })];
  // Stores nothing, so that what its streams hold can be measured.
  const s = new Agent({ name: "s", model });
  const runs = new RunService({ agents: { d }, storage: new InMemoryStorage() });
  const service = createService({ agents: { a, d, s }, runs, authenticate });
  const end = {
    name: "end",
    // What a signal does for a process.
    routes: () => [
      {
        path: "/end",
        post: (exchange: { sendEmpty(): void }) => (void service.close({ graceMs: 500 }), exchange.sendEmpty()),
      },
    ],
  };
  void runs.serve();
  return { service, protocols: [http({ fileUpload: true }), end] };
}
