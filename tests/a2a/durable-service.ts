// A service as a host would write it, whose tasks are runs in an SQLite file. Sends `{ port }` to its parent. Its agent
// says the first piece at once, and the others when its parent has sent a message. It may notify the host of the last argument.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createA2AServer } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";

const [file = "", first = "", rest = "", notified] = process.argv.slice(2);
const mayGoOn = once(process, "message");

const storage = new SqliteStorage(file);
/** A model that pauses within its answer. */
class PausingModel extends ScriptedModel {
  override async *stream(...call: Parameters<ScriptedModel["stream"]>): ReturnType<ScriptedModel["stream"]> {
    let count = 0;
    for await (const chunk of super.stream(...call)) {
      yield chunk;
      if (++count === 1) await mayGoOn;
    }
  }
}

const model = new PausingModel().respond(() => ({ text: [first, rest] }));
const counter = new Agent({ name: "counter", model, storage });
const sealKeys = ["a secret with which addresses are sealed"];
const runs = new RunService({ storage, agents: { counter }, sealKeys });
await runs.serve();
const pushNotifications = notified !== undefined && { allowPrivateHosts: [notified], retryMs: 20, maxAttempts: 1000 };
const server = createServer(express().use(createA2AServer({ agents: { counter }, runs, pushNotifications })));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
