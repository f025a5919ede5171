import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { Agent } from "../../agents/agent/agent.ts";
import { secretOf, sealKey } from "../../runs/webhooks/test/webhook-world.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { createService } from "./service.ts";
import type { ServiceOptions } from "./service-options.ts";

const url = "https://hooks.example.com/";
const secret = secretOf("a");
const agents = { a: new Agent({ name: "a", model: new ScriptedModel().respond(() => "Done.") }) };

function make(options: ServiceOptions) {
  const service = createService({ agents, ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return service as ReturnType<typeof createService<typeof agents>>;
}

async function receiver() {
  const types: string[] = [];
  const server = await serveLoopback((request, response) => {
    types.push(String(request.headers["webhook-id"]));
    request.resume();
    response.writeHead(204).end();
  });
  return { url: server.url, allowPrivateHosts: [`127.0.0.1:${server.port}`], types };
}

describe("webhooks of a service", () => {
  it("are notified of a run that the program begins, beside the run's own webhook", async () => {
    const [one, other] = [await receiver(), await receiver()];
    const allowPrivateHosts = [...one.allowPrivateHosts, ...other.allowPrivateHosts];
    const service = make({
      storage: new InMemoryStorage(),
      durable: { sealKeys: [sealKey] },
      webhooks: { targets: [{ url: one.url, secrets: [secret] }], allowPrivateHosts },
    });
    const run = await service.begin({ agent: "a", input: "Go.", userId: "ä", webhook: { url: other.url, secret } });
    await run.output;
    await vi.waitFor(() => expect([one.types.length, other.types.length]).toEqual([1, 1]));

    const found = await service.runs?.webhooks.deliveries(run.runId, { userId: "ä" });
    expect(found?.map(({ webhook }) => webhook).toSorted()).toEqual(["run", "service"]);
  });

  it("are refused for a run that is not durable, in words [webhooks.callers]", async () => {
    const begun = make({}).begin({ agent: "a", input: "Go.", webhook: { url, secret } });

    await expect(begun).rejects.toMatchObject({ code: "invalid_request", message: /webhook is for durable runs/ });
  });

  it("are refused at its beginning if they are wrong", async () => {
    const service = make({ storage: new InMemoryStorage(), durable: true });
    for (const webhook of [{ url, secret: "whsec_x" }, { url: "https://10.1.2.3/", secret }, {}, "x"]) {
      const begun = service.begin({ agent: "a", input: "Go.", webhook: webhook as never });
      await expect(begun).rejects.toMatchObject({ code: "invalid_request", message: /webhook/ });
    }
  });
});
