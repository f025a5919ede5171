// A service as a host would write it, with its sessions in an SQLite file that is closed after the shutdown. Sends `{ port }`
// to its parent. One agent is quick; the other calls its tool and then never finishes.
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, defineTool } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { closeOnSignals, createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";

const [file = "", graceMs = "", drainMs = graceMs] = process.argv.slice(2);

const weather = defineTool({
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: {} },
  execute: async () => {
    await sleep(5);
    return "Rain.";
  },
});

function modelThatEndsWith(turn: { hang: true } | { text: string; chunkDelayMs: number }): ModelProvider {
  return new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool" ? turn : { toolCalls: [{ name: "weather" }], delayMs: 5 };
  });
}

const storage = new SqliteStorage(file);
const shared = { tools: [weather], storage };
const quick = new Agent({
  name: "quick",
  model: modelThatEndsWith({ text: "Take an umbrella.", chunkDelayMs: 5 }),
  ...shared,
});
const endless = new Agent({ name: "endless", model: modelThatEndsWith({ hang: true }), ...shared });

const service = createService({ agents: { quick, endless } });
closeOnSignals(service, { graceMs: Number(graceMs), drainMs: Number(drainMs) });
void service.closed.then(() => storage.close());
const { url } = await serve(service, [http()], { port: 0, host: "127.0.0.1" });
process.send?.({ port: Number(new URL(url).port) });
// The channel to the test must not keep the process alive.
process.channel?.unref();
