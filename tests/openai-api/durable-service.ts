// A service as a host would write it, whose runs are in an SQLite file. Sends `{ url }` to its parent. Its tool notes
// each call in the file of the second argument; the answer behind it begins at once, and goes on when its parent has
// sent a message.
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { Agent, defineTool } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { openaiApi } from "@troupe/openai-api";
import { SqliteStorage } from "@troupe/storage-sqlite";

const [file = "", calls = ""] = process.argv.slice(2);
const mayGoOn = once(process, "message");

const storage = new SqliteStorage(file);

/** A model that pauses within the answer behind its tool. */
class PausingModel extends ScriptedModel {
  override async *stream(...call: Parameters<ScriptedModel["stream"]>): ReturnType<ScriptedModel["stream"]> {
    const isBehindTool = call[0].at(-1)?.role === "tool";
    let count = 0;
    for await (const chunk of super.stream(...call)) {
      yield chunk;
      if (isBehindTool && ++count === 1) await mayGoOn;
    }
  }
}

const model = new PausingModel().respond(({ messages }) =>
  messages.at(-1)?.role === "tool" ? { text: ["It ", "rains."] } : { toolCalls: [{ name: "weather", arguments: {} }] },
);
const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: {} },
  execute: () => {
    appendFileSync(calls, "called\n");
    return "rain";
  },
});
const helper = new Agent({ name: "helper", model, tools: [weather], storage });
const service = createService({ agents: { helper }, storage, durable: { sealKeys: false } });
const { url } = await serve(service, [openaiApi()], { port: 0 });
process.send?.({ url });
