import { io } from "socket.io-client";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { DemoServers, post } from "./test/start-demo.ts";

const servers = new DemoServers();

afterAll(async () => await servers.dispose());

type Payload = Record<string, unknown>;

async function connect(
  url: string,
  transport: string,
  { user = "ada", origin = url }: { user?: unknown; origin?: string } = {},
) {
  const extraHeaders = { origin };
  const socket = io(`${url}/service`, { transports: [transport], forceNew: true, auth: { user }, extraHeaders });
  onTestFinished(() => void socket.disconnect());
  const received: [name: string, payload: Payload][] = [];
  socket.onAny((name: string, payload: Payload) => received.push([name, payload]));
  await new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(undefined));
    socket.once("connect_error", reject);
  });
  const ask = async (event: string, payload: object) => (await socket.emitWithAck(event, payload)) as Payload;
  const until = async (wanted: string) =>
    await vi.waitFor(
      () => {
        const found = received.find(([name]) => name === wanted);
        if (found === undefined) throw new Error(`No ${wanted} yet, of ${JSON.stringify(received)}`);
        return found[1];
      },
      { timeout: 60_000, interval: 20 },
    );
  return { socket, received, ask, until };
}

describe("the demo server over Socket.IO", () => {
  it.each(["websocket", "polling"])(
    "runs agents and teams, and books with an approval that another connection gives, over %s",
    async (transport) => {
      const { url } = await servers.start();
      const agent = await connect(url, transport);
      await agent.ask("agent.run", { name: "assistant", input: "What is the weather in Oslo, and what is 12 * 7?" });
      const { output } = await agent.until("agent.done");
      const team = await connect(url, transport);
      await team.ask("team.run", { name: "travel-desk", input: "What is the weather in Tokyo?" });
      await team.until("agent.done");
      const booking = await connect(url, transport);
      const { runId } = await booking.ask("agent.run", { name: "concierge", input: "Book a room in Oslo." });
      const { waitId } = await booking.until("agent.wait");
      const other = await connect(url, transport, { user: "grace" });
      const refused = await other.ask("agent.answer", { runId, waitId, answer: { approved: true } });
      const path = `${url}/runs/${String(runId)}/answers/${String(waitId)}`;
      const answered = await fetch(path, post({ approved: true }, { "x-demo-user": "ada" }));

      expect(output).toMatchObject({ text: expect.stringContaining("84") });
      expect(agent.received.map(([name]) => name)).toEqual(
        expect.arrayContaining(["agent.chunk", "agent.tool.call", "agent.tool.done"]),
      );
      expect(refused).toMatchObject({ code: "not_found" });
      expect(answered.status).toBe(204);
      expect(await booking.until("agent.done")).toMatchObject({ runId });
      await servers.stop();
    },
  );

  it("refuses pages of other sites, and users that are none", async () => {
    const { url } = await servers.start();

    for (const transport of ["websocket", "polling"]) {
      await expect(connect(url, transport, { origin: "https://evil.example" })).rejects.toThrow("another site");
      await connect(url, transport);
    }
    await expect(connect(url, "websocket", { user: 7 })).rejects.toThrow("auth.user of the handshake");
    await servers.stop();
  });

  // A client over long polling cannot ask for more once the server takes no connections.
  it("tells a client over WebSocket on SIGTERM that its run goes on elsewhere", async () => {
    const { url, child, exit } = await servers.start();
    const { ask, until } = await connect(url, "websocket");
    const { runId } = await ask("agent.run", { name: "assistant", input: "Count to 300" });
    await until("agent.chunk");
    child.kill("SIGTERM");

    expect(await until("agent.error")).toMatchObject({ code: "interrupted", runId });
    expect(await exit).toEqual([0, null]);
  });

  it("ends on SIGTERM while clients over long polling are connected", async () => {
    const { url, child, exit } = await servers.start();
    const [busy, idle] = [await connect(url, "polling"), await connect(url, "polling")];
    await busy.ask("agent.run", { name: "assistant", input: "Count to 300" });
    await busy.until("agent.chunk");
    child.kill("SIGTERM");

    expect(await exit).toEqual([0, null]);
    await vi.waitFor(() => expect(busy.socket.connected || idle.socket.connected).toBe(false));
  });
});
