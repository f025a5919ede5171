import { expect, it, onTestFinished, vi } from "vitest";
import { FakeNamespace, FakeSocket } from "../test/fake-sockets.ts";
import { teller } from "../test/stored.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";

it("a client whose last run ends while it is away is looked for at no other node", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const elsewhere = vi.fn<() => Promise<unknown[]>>(async () => []);
  const namespace = new FakeNamespace(elsewhere);
  const { agent, say } = teller(1);
  const gateway = createAgentGateway({ io: namespace.io, agents: { a: agent } });
  onTestFinished(async () => await gateway.close());
  const sockets = ["one", "two"].map((id) => new FakeSocket(id, "ada"));
  for (const socket of sockets) {
    namespace.emit("connection", socket);
    await socket.ask("agent.run", { name: "a", input: "Hi" });
    socket.receive("disconnect", "transport close");
  }
  expect(gateway.service.servedRuns.size).toBe(2);
  say(1);
  await vi.waitFor(() => expect(sockets.map(({ sent }) => sent.at(-1)?.name)).toEqual(["agent.done", "agent.done"]));
  await vi.waitFor(() => expect(gateway.service.servedRuns.size).toBe(0));
  await vi.advanceTimersByTimeAsync(2000);

  expect(elsewhere).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
