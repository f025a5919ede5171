// Serves agents, a team and a workflow over AG-UI with durable runs: `node ag-ui-service.ts <folder> <port>`. The folder has the
// database, and a line for each payment. Prints the port. It may be killed at any time and started again.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { agUi } from "@troupe/ag-ui";
import { Agent, createLogger, defineTool, Team, Workflow } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";

const [folder = ".", port = "0"] = process.argv.slice(2);
const storage = new SqliteStorage(join(folder, "troupe.sqlite"));
const parameters = { type: "object", properties: { place: { type: "string" } } };

/** Makes a model that calls a tool once for each message of the user. The ids of its calls never repeat. */
function calling(name: string): ScriptedModel {
  return new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { thinking: "Hm.", text: "Fertig ✓." }
      : { text: "Moment.", toolCalls: [{ id: crypto.randomUUID(), name, arguments: { place: "Ås" } }] },
  );
}

const sayer = (name: string) =>
  new Agent({ name, model: new ScriptedModel().respond(() => `${name} speaks.`), storage });
const weather = defineTool({ name: "weather", description: "Tells the weather.", parameters, execute: () => "Rain." });
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters,
  needsApproval: true,
  execute: () => (appendFileSync(join(folder, "paid.txt"), "paid\n"), "Paid."),
});
const team = new Team({
  name: "desk",
  mode: "broadcast",
  model: new ScriptedModel().respond(() => "We agree."),
  members: [sayer("ann"), sayer("bob")],
  streamMembers: true,
});
const trip = new Workflow({
  name: "trip",
  initialState: { city: "", days: 1 },
  steps: [
    { name: "plan", agent: sayer("ann") },
    { name: "longer", run: ({ days }) => ({ days: days + 1 }) },
  ],
});
const broken = new ScriptedModel({ text: "Well", error: new Error("the vendor's own words") });
const service = createService({
  agents: {
    helper: new Agent({ name: "helper", model: calling("weather"), tools: [weather], storage }),
    payer: new Agent({ name: "payer", model: calling("pay"), tools: [pay], storage }),
    painter: new Agent({ name: "painter", model: calling("paint"), storage }),
    broken: new Agent({ name: "broken", model: broken, retry: { maxRetries: 0 }, storage }),
  },
  teams: { desk: team },
  workflows: { trip },
  storage,
  durable: true,
  logger: createLogger({ level: "silent" }),
});
const { url } = await serve(service, [agUi()], { port: Number(port), host: "127.0.0.1" });
process.stdout.write(`port ${new URL(url).port}\n`);
