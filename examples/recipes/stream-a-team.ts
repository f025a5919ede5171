import assert from "node:assert/strict";
import { ScriptedModel } from "@troupe/core/testing";
// #region readme
import { Agent, Team } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { http } from "@troupe/http";
// #endregion

const small = new ScriptedModel("It rains on 170 days a year.", "Oslo: bring an umbrella.");
const large = new ScriptedModel(
  { toolCalls: [{ name: "delegate_to_researcher", arguments: { task: "How often does it rain in Oslo?" } }] },
  { toolCalls: [{ name: "delegate_to_writer", arguments: { task: "A slogan: 170 days of rain." } }] },
  "Here it is: bring an umbrella.",
);
const port = Number(process.env["PORT"] ?? 0);

// #region readme
const researcher = new Agent({ name: "researcher", description: "Finds facts.", model: small });
const writer = new Agent({ name: "writer", description: "Writes short texts.", model: small });
const marketing = new Team({
  name: "marketing",
  mode: "coordinate",
  model: large,
  members: [researcher, writer],
  streamMembers: true, // the page sees each member at work
});
const service = createService({ teams: { marketing } });
const { url } = await serve(service, [http()], { port });

/** A chunk of the stream: a text of the team, or of the member that it names. */
type Chunk = { type: string; text?: string; member?: string; usage?: { totalTokens: number } };

const response = await fetch(`${url}/teams/marketing/stream`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ input: "A slogan for Oslo, please." }),
});
const texts = new Map<string, string>();
let tokens = 0;
for await (const { type, text = "", member = "marketing", usage } of chunksOf(response)) {
  if (type === "text") texts.set(member, (texts.get(member) ?? "") + text);
  if (type === "finish") tokens = usage?.totalTokens ?? 0; // of the team and its members together
}
for (const [name, text] of texts) console.log(`${name}: ${text}`);
console.log(`${tokens} tokens`);

/** Reads server-sent events: each has its chunk as JSON, in one line. */
async function* chunksOf({ body }: Response): AsyncGenerator<Chunk> {
  let rest = "";
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length)) as Chunk;
  }
}
// #endregion

assert.deepEqual(Object.fromEntries(texts), {
  researcher: "It rains on 170 days a year.",
  writer: "Oslo: bring an umbrella.",
  marketing: "Here it is: bring an umbrella.",
});
assert.equal(tokens, 75);
await service.close();
