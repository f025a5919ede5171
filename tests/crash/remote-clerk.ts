import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { completedReply, createA2AServer, ProgrammaticAgent } from "@troupe/a2a";
import express from "express";
import { resultOf } from "./durable-setup.ts";

/** An agent of another service, which lives on while the processes of the trial die. */
export type RemoteClerk = AsyncDisposable & { readonly url: string };

/** Starts an agent over A2A that writes each task that it gets: its effect. */
export async function startClerk(write: (task: string) => void): Promise<RemoteClerk> {
  const clerk = new ProgrammaticAgent({
    name: "clerk",
    description: "Writes a task down.",
    async *answer({ message }) {
      const text = message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
      write(text);
      yield* [];
      return completedReply(resultOf(text));
    },
  });
  const handler = createA2AServer({ agents: { clerk } });
  const server = createServer(express().use(handler));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await handler.service.close({ graceMs: 0 });
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}
