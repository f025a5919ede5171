import { connect } from "node:net";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createArtifact } from "../agent/artifact.ts";
import { ProgrammaticAgent } from "../agent/programmatic-agent.ts";
import { message0, message1, scriptedAgent, serveA2A, textsOf, untilState } from "../../test/serve-a2a.ts";
import type { ServedA2A } from "../../test/serve-a2a.ts";

const piece = "x".repeat(16_384);
const megabyte = 1024 * 1024;

/** Streams a task to a client that stops reading with the first bytes. Returns the id of the task. */
async function stopReading({ url }: ServedA2A): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params: message0("Go") });
  const head = [
    "POST / HTTP/1.1",
    `Host: ${hostname}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let text = "";
  for (;;) {
    text += String(await once(socket, "data"));
    const [, id] = /"kind":"task","id":"([^"]+)"/.exec(text) ?? [];
    if (id === undefined) continue;
    socket.pause();
    return id;
  }
}

describe("a reader that stops reading", () => {
  it("holds up no task, and leaves little in the memory of the service, however long the answer is [a2a.stopped-reader]", async () => {
    const pieces = 800;
    const agent = new ProgrammaticAgent({
      name: "helper",
      async *answer() {
        for (let count = 0; count < pieces; count++) yield piece;
      },
    });
    const served = await serveA2A({ agents: { helper: agent } });
    const answering: Socket[] = [];
    served.server.on("connection", (socket) => answering.push(socket));
    const ids = [await stopReading(served), await stopReading(served)];
    const sockets = [...answering];
    for (const id of ids) await untilState(served, id, "completed");
    expect(sockets).toHaveLength(2);
    for (const { writableLength } of sockets) expect(writableLength).toBeLessThan(2 * megabyte);
  });

  it("gets the answer whole at last, where the events before are not kept [a2a.stopped-reader]", async () => {
    const agent = new ProgrammaticAgent({
      name: "helper",
      async *answer({ ask }) {
        for (const start of ["One ", "Two "]) {
          yield start + piece;
          // The log gathers what comes within its tick into one record, and keeps the last record whole.
          await sleep(100);
        }
        await ask("Go on?");
        yield "Three.";
      },
    });
    const runs = new RunService({ agents: { helper: agent }, retention: { maxBytesPerRun: 1024 } });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    const served = await serveA2A({ agents: { helper: agent }, runs });
    const { result } = await served.call("message/send", message0("Go"));
    const streamed = await Array.fromAsync(served.stream("message/stream", message0("Yes", { taskId: result.id })));
    expect(streamed.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    // Not as an expected value: a difference of so much text would be printed.
    expect(textsOf(streamed).join("") === `One ${piece}Two ${piece}Three.`).toBe(true);

    const asked = await served.call("message/send", message0("Go"));
    const { result: done } = await served.call("message/send", message0("Yes", { taskId: asked.result.id }));
    expect(done.status.state).toBe("completed");
  });

  it("gets several long artifacts one after the other, and is not dropped [a2a.stopped-reader]", async () => {
    const long = Buffer.alloc(megabyte).toString("base64");
    const images = ["1", "2", "3", "4"].map((artifactId) =>
      createArtifact({ artifactId, parts: [{ kind: "bytes", base64: long, mediaType: "image/png" }] }),
    );
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      parameters: { type: "object", properties: {} },
      execute: () => ({ content: "drawn", artifacts: images }),
    });
    const calls = [{ id: "c1", name: "draw", arguments: {} }];
    const agent = scriptedAgent([{ text: "", toolCalls: calls }, { text: "There." }], { tools: [draw] });
    const served = await serveA2A({ agents: { helper: agent } });
    const events = await Array.fromAsync(served.stream("SendStreamingMessage", message1("Draw")));
    expect(events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.artifactId ?? []).slice(0, 4)).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
    expect(events.at(-1)?.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  });
});
