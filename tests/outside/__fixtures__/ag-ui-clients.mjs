// Asks the service at the address of the first argument with each client of AG-UI, through a proxy that keeps what it sends. Prints a
// line for each scene: its name, and what went wrong. Asks on its standard output for the service to be killed and started again, and
// waits for a line of its standard input. Writes the events to the file of the second argument, one JSON value a line.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { HttpAgent as CurrentAgent } from "@ag-ui/client";
import { EventSchemas as currentSchemas } from "ag-ui-core-1/schemas";
import { HttpAgent as OldAgent } from "ag-ui-client-0";
import { EventSchemas as oldSchemas } from "ag-ui-core-0";
import { CopilotKitCore, ɵInterruptState as InterruptState } from "@copilotkit/core";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";

const [target, eventsFile] = process.argv.slice(2);
const input = createInterface({ input: process.stdin });
const events = [];

const listen = async (listener) => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}`;
};

/** Passes requests on to the service, and keeps the events of its answers with the revision of the request. */
const proxy = await listen(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const revision = body.includes('"protocolVersion"') ? "1.0.0" : "0.0.59";
  const answer = await fetch(target + request.url, {
    method: request.method,
    headers: { "content-type": "application/json", accept: request.headers.accept ?? "*/*", connection: "close" },
    body,
  }).catch(() => undefined);
  if (answer === undefined) return response.destroy();
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of answer.body) {
    text += decoder.decode(bytes, { stream: true });
    response.write(bytes);
  }
  response.end();
  for (const [, json] of text.matchAll(/^data: (.*)$/gm)) events.push({ revision, event: JSON.parse(json) });
});

const paths = {
  helper: "agents/helper",
  payer: "agents/payer",
  painter: "agents/painter",
  broken: "agents/broken",
  desk: "teams/desk",
  trip: "workflows/trip",
};
const urlOf = (name) => `${proxy}/agui/${paths[name]}`;
const paint = { name: "paint", description: "Paints the page.", parameters: { type: "object", properties: {} } };

/** A client of AG-UI itself: each run is a request. */
const openPlain = (Agent) => (name, state) => {
  const agent = new Agent({ url: urlOf(name), threadId: crypto.randomUUID(), ...(state && { initialState: state }) });
  return { agent, run: async (more = {}) => await agent.runAgent({ ...more, tools: [paint] }) };
};

/** The browser's side of CopilotKit, whose requests go to CopilotKit's runtime. It asks nothing where there is no window. */
globalThis.window = new EventTarget();
const runtime = new CopilotRuntime({
  agents: Object.fromEntries(Object.keys(paths).map((name) => [name, new OldAgent({ url: urlOf(name) })])),
});
const runtimeUrl = await listen(createCopilotNodeListener({ runtime, basePath: "/" }));
const openCopilot = async (name, state) => {
  const core = new CopilotKitCore({ runtimeUrl });
  for (let looks = 0; core.getAgent(name) === undefined && looks < 400; looks++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  const agent = core.getAgent(name);
  agent.threadId = crypto.randomUUID();
  if (state !== undefined) agent.setState(state);
  core.addTool({ name: paint.name, description: paint.description, handler: async () => "bläulich" });
  const errors = [];
  core.subscribe({ onError: ({ error }) => void errors.push(error) });
  return { agent, errors, run: async (more = {}) => await core.runAgent({ agent, ...more }) };
};

const ask = (agent, content) => agent.addMessage({ id: crypto.randomUUID(), role: "user", content });
const textOf = ({ messages }) => messages.filter(({ role }) => role === "assistant").map(({ content = "" }) => content).join("");
const fail = (what) => {
  throw new Error(typeof what === "string" ? what : JSON.stringify(what));
};
const expectText = (agent, text) => textOf(agent) === text || fail(agent.messages);

/** Runs an agent until it asks, and answers as CopilotKit's hooks do. */
const approve = async ({ agent, run }, { approved, between = async () => undefined }) => {
  const asked = new InterruptState();
  agent.subscribe({
    onRunFinishedEvent: ({ event: { outcome } }) => {
      if (outcome?.type === "interrupt") asked.setStandard(outcome.interrupts);
    },
  });
  ask(agent, "Pay.");
  await run();
  if (asked.pending === null) fail("nothing was asked");
  await between();
  const { kind, resume } = asked.resolve({ approved });
  if (kind !== "resume") fail(kind);
  await run({ resume });
  expectText(agent, "Moment.Fertig ✓.");
  const result = agent.messages.find(({ role }) => role === "tool");
  if (result?.content.includes("Paid.") !== approved) fail(agent.messages);
};

const scenes = {
  "text, thoughts and a tool": async (open) => {
    const { agent, run } = await open("helper");
    ask(agent, "Wetter?");
    await run();
    expectText(agent, "Moment.Fertig ✓.");
    if (!agent.messages.some(({ role, content }) => role === "tool" && content === "Rain.")) fail(agent.messages);
    ask(agent, "Und morgen?");
    await run();
    expectText(agent, "Moment.Fertig ✓.".repeat(2));
  },
  "members of a team": async (open) => {
    const { agent, run } = await open("desk");
    const named = new Set();
    agent.subscribe({ onEvent: ({ event }) => void (event.type === "SUBAGENT_STARTED" && named.add(event.name)) });
    ask(agent, "Who?");
    await run();
    if ([...named].join() !== "ann,bob") fail([...named]);
    const answer = agent.messages.filter(({ role, content, subagentRunId }) => role === "assistant" && content && !subagentRunId);
    if (answer.map(({ content }) => content).join("") !== "We agree.") fail(agent.messages);
  },
  approval: async (open) => await approve(await open("payer"), { approved: true }),
  denial: async (open) => await approve(await open("payer"), { approved: false }),
  "approval after a kill": async (open) =>
    await approve(await open("payer"), {
      approved: true,
      between: async () => {
        process.stdout.write("kill\n");
        await once(input, "line");
      },
    }),
  "a tool of the page": async (open) => {
    const { agent, run, errors } = await open("painter");
    ask(agent, "Paint.");
    await run();
    // CopilotKit executes the tool and goes on by itself.
    if (errors === undefined) {
      const call = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls)[0];
      if (call === undefined) fail(agent.messages);
      agent.addMessage({ id: crypto.randomUUID(), role: "tool", toolCallId: call.id, content: "bläulich" });
      await run();
    }
    expectText(agent, "Moment.Fertig ✓.");
  },
  "the state of a workflow": async (open) => {
    const { agent, run } = await open("trip", { city: "Ås" });
    const seen = [];
    agent.subscribe({ onStateChanged: ({ state }) => void seen.push(JSON.stringify(state)) });
    await run();
    const end = { city: "Ås", days: 2, plan: "ann speaks." };
    if (JSON.stringify(agent.state) !== JSON.stringify(end)) fail(agent.state);
    if (!seen.includes(JSON.stringify({ ...end, days: 1 }))) fail(seen);
  },
  "an error": async (open) => {
    const { agent, run } = await open("broken");
    const told = [];
    agent.subscribe({ onRunErrorEvent: ({ event }) => void told.push(event) });
    ask(agent, "Fail.");
    await run().catch(() => undefined);
    if (told[0]?.code !== "internal" && told[0]?.code !== "model_failed") fail(told);
    if (JSON.stringify(told).includes("own words")) fail(told);
  },
};

const clients = { "@ag-ui/client 1.0.0": openPlain(CurrentAgent), "@ag-ui/client 0.0.59": openPlain(OldAgent), CopilotKit: openCopilot };
const print = (result) => process.stdout.write(`${JSON.stringify(result)}\n`);
for (const [client, open] of Object.entries(clients)) {
  for (const [scene, play] of Object.entries(scenes)) {
    const name = `${client}, ${scene}`;
    try {
      await play(open);
      print({ name });
    } catch (error) {
      print({ name, fault: String(error.message ?? error).slice(0, 800) });
    }
  }
}
const schemas = { "0.0.59": oldSchemas, "1.0.0": currentSchemas };
for (const [revision, schema] of Object.entries(schemas)) {
  const own = events.filter((each) => each.revision === revision);
  const wrong = own.map(({ event }) => ({ event, ...schema.safeParse(event) })).find(({ success }) => !success);
  const fault = own.length === 0 ? "no events" : wrong && `${JSON.stringify(wrong.event)}: ${wrong.error.message}`;
  print({ name: `${own.length} events by the schemas of ${revision}`, ...(fault && { fault: fault.slice(0, 800) }) });
}
writeFileSync(eventsFile, events.map((each) => `${JSON.stringify(each)}\n`).join(""));
process.exit(0);
