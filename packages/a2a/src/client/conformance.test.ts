import { Agent } from "@troupe/core";
import { checkConformance, runnableCases } from "@troupe/core/testing";
import { describe, it } from "vitest";
import { serveA2A } from "../../test/serve-a2a.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

describe("a remote agent that is served by our own server", () => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: async (model) => {
        const { url } = await serveA2A({ agents: { helper: new Agent({ name: "helper", model }) } });
        return new A2ARemoteAgent({ url });
      },
    }),
  });
});
