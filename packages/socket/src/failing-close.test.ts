import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, vi } from "vitest";
import { ServedGateway } from "../test/serve-gateway.ts";

it("a gateway whose runs cannot be handed back still lets its clients go, and logs the failure", async () => {
  const agents = { a: new Agent({ name: "a", model: new ScriptedModel("Yes.") }) };
  const runs = new RunService({ agents });
  const drain = vi.spyOn(runs, "drain").mockRejectedValue(new Error("The storage is away."));
  const { gateway, io, lines, connect } = await serveGateway({ agents, runs });
  const client = await connect();
  const left = new Promise<string>((resolve) => client.once("disconnect", resolve));
  await gateway.close();
  expect(lines.join("\n")).toContain("The storage is away.");

  drain.mockResolvedValue();
  expect(await left).toBe("transport close");
  expect(io.of("/service").listenerCount("connection")).toBe(0);
});

async function serveGateway(options: Parameters<typeof ServedGateway.start>[0]) {
  const served = await ServedGateway.start(options);
  const { gateway, io, lines } = served;
  return { gateway, io, lines, connect: async () => await served.connect() };
}
