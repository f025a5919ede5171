/* The types of a client: this file is compiled and never run. Each wrong use must not compile. */
import { Agent, Team, Workflow } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { createClient } from "../src/index.ts";
import { useRun } from "../src/react.ts";
import * as z from "zod";

const model = new ScriptedModel();
const weather = new Agent({
  name: "weather",
  model,
  structuredOutput: z.object({ celsius: z.number(), city: z.string() }),
});
const helper = new Agent({ name: "helper", model });
const desk = new Team({ name: "desk", mode: "broadcast", model, members: [helper] });
const trip = new Workflow({
  name: "trip",
  initialState: { city: "", days: 1 },
  steps: [{ name: "plan", agent: helper }],
});
const service = createService({ agents: { weather, helper }, teams: { desk }, workflows: { trip } });

const client = createClient<typeof service>({ baseUrl: "https://example.com" });

declare function use(...values: unknown[]): void;

/** Right uses, which compile. */
export async function rightUses(): Promise<void> {
  const forecast = await client.agent("weather").run("Oslo?");
  if (forecast.status === "completed") {
    const degrees: number = forecast.structured.celsius;
    const city: string = forecast.structured.city;
    use(degrees, city, forecast.text, forecast.usage.totalTokens, forecast.runId);
  } else use(forecast.waits[0]?.kind, forecast.runId);
  const plain = await client.agent("helper").run([{ type: "text", text: "Hi" }], { sessionId: "s1" });
  if (plain.status === "completed") {
    const nothing: null = plain.structured;
    use(nothing);
  }
  const planned = await client.workflow("trip").run({ city: "Oslo" });
  if (planned.status === "completed") {
    const days: number = planned.state.days;
    use(days, planned.steps[0]?.output);
  }
  await client.workflow("trip").run("Oslo, please.");
  for await (const event of client.team("desk").stream("Hi")) if (event.type === "text") use(event.text);
  const unknown = createClient({ baseUrl: "/api", headers: () => ({ authorization: "Bearer x" }) });
  await unknown.agent("anyone").run("Hi");
  await client.runs.answer("r1", "w1", { approved: true });
  await useRun(client.agent("weather")).start("Oslo?");
}

/** Wrong uses: twenty-five, each of which the compiler refuses. */
export async function wrongUses(): Promise<void> {
  // @ts-expect-error 1: an agent that the service does not have
  client.agent("wether");
  // @ts-expect-error 2: a team is no agent
  client.agent("desk");
  // @ts-expect-error 3: an agent is no team
  client.team("helper");
  // @ts-expect-error 4: a workflow that the service does not have
  client.workflow("trips");
  // @ts-expect-error 5: a client needs the address of its service
  createClient();
  // @ts-expect-error 6: the address has another name
  createClient({ url: "https://example.com" });
  // @ts-expect-error 7: headers are strings
  createClient({ baseUrl: "/", headers: { authorization: 1 } });
  // @ts-expect-error 8: a run needs an input
  await client.agent("helper").run();
  // @ts-expect-error 9: a number is no input
  await client.agent("helper").run(7);
  // @ts-expect-error 10: an agent takes no keys of a state
  await client.agent("helper").run({ city: "Oslo" });
  // @ts-expect-error 11: a part has a known type
  await client.agent("helper").run([{ type: "video", data: "" }]);
  // @ts-expect-error 12: a text part has a text
  await client.agent("helper").run([{ type: "text" }]);
  // @ts-expect-error 13: a session is named by a string
  await client.agent("helper").run("Hi", { sessionId: 7 });
  // @ts-expect-error 14: an unknown option
  await client.agent("helper").run("Hi", { session: "s" });
  // @ts-expect-error 15: a key of the state that the workflow does not have
  await client.workflow("trip").run({ town: "Oslo" });
  // @ts-expect-error 16: a key of the state with another type
  await client.workflow("trip").run({ days: "two" });
  const forecast = await client.agent("weather").run("Oslo?");
  // @ts-expect-error 17: a run that waits has no text
  use(forecast.text);
  if (forecast.status !== "completed") return;
  // @ts-expect-error 18: a field that the schema does not have
  use(forecast.structured.fahrenheit);
  // @ts-expect-error 19: a field of another type
  const celsius: string = forecast.structured.celsius;
  // @ts-expect-error 20: messages stay in the service
  use(celsius, forecast.messages);
  const plain = await client.agent("helper").run("Hi");
  // @ts-expect-error 21: an agent without a schema has no structured output
  if (plain.status === "completed") use(plain.structured.celsius);
  // @ts-expect-error 22: a stream is iterated with for await
  for (const event of client.agent("helper").stream("Hi")) use(event);
  // @ts-expect-error 23: a chunk of thinking is told by its type
  for await (const event of client.agent("helper").stream("Hi")) use(event.thinking);
  // @ts-expect-error 24: an answer names its question
  await client.runs.answer("r1", { approved: true });
  // @ts-expect-error 25: the hook takes a runnable, and no client
  useRun(client);
}
