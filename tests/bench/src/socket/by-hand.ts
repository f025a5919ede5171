import { randomUUID } from "node:crypto";
import { toPublicOutput } from "@troupe/core/transport";
import { serveSockets } from "./serve-socket.ts";

/** The same events emitted by hand, without checks, limits, cancelling or waiting for the client. */
serveSockets((io, agents) => {
  let size = 0;
  io.of("/service").on("connection", (socket) => {
    socket.on("agent.run", async ({ input }: { input: string }, acknowledge?: (ids: object) => void) => {
      const ids = { runId: randomUUID(), name: "bench", sessionId: randomUUID() };
      acknowledge?.({ runId: ids.runId, sessionId: ids.sessionId });
      size += 1;
      const stream = agents.bench.stream(input, { runId: ids.runId, sessionId: ids.sessionId });
      for await (const chunk of stream) {
        if (chunk.type === "text") socket.emit("agent.chunk", { ...ids, chunk: chunk.text });
      }
      socket.emit("agent.done", { ...ids, output: toPublicOutput(await stream.output) });
      size -= 1;
    });
  });
  return {
    get size() {
      return size;
    },
  };
});
