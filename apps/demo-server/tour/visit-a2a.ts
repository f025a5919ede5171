import { ClientFactory, RestTransportFactory } from "a2a-sdk-1/client";
import type { Client } from "a2a-sdk-1/client";
import type { Curl } from "./curl.ts";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

/** Drives the A2A server with the official client of 1.0 over both of its bindings, and with requests of 0.2 and 0.3. */
export async function visitA2A(tour: Tour, url: string, curl: Curl): Promise<void> {
  tour.begin("A2A, with @a2a-js/sdk and curl");
  for (const card of ["agent.json", "agent-card.json"]) {
    await tour.step(`GET /.well-known/${card}`, async () => {
      const { status, text } = await curl.send(`GET /.well-known/${card}`);
      expect(status === 200 && text.includes(`${url}/a2a`), text);
      return text;
    });
  }
  await useClient(tour, "JSON-RPC", await new ClientFactory().createFromUrl(url));
  const factory = new ClientFactory({ transports: [new RestTransportFactory()] });
  await useClient(tour, "HTTP+JSON", await factory.createFromUrl(url));
  await useOldMethods(tour, curl);
}

async function useClient(tour: Tour, binding: string, client: Client): Promise<void> {
  let id = "";
  await tour.step(`SendMessage over ${binding}`, async () => {
    const task = JSON.stringify(await client.sendMessage(message("What is the weather in Oslo?")));
    expect(task.includes("9 °C with rain"), task);
    id = /"id":"([^"]+)"/.exec(task)?.[1] ?? "";
    return task;
  });
  await tour.step(`SendStreamingMessage over ${binding}`, async () => {
    const events: string[] = [];
    for await (const event of client.sendMessageStream(message("Count to 5"))) events.push(JSON.stringify(event));
    expect(events.length > 3, events);
    return `${events.length} events`;
  });
  await tour.step(`GetTask over ${binding}`, async () => {
    const task = JSON.stringify(await client.getTask({ tenant: "", id, historyLength: undefined }));
    expect(task.includes(id) && task.includes("9 °C"), task);
    return task;
  });
}

let count = 0;

function message(value: string) {
  const part = {
    content: { $case: "text" as const, value },
    metadata: undefined,
    filename: "",
    mediaType: "text/plain",
  };
  const ids = { messageId: `tour-${++count}`, contextId: "", taskId: "" };
  const rest = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    tenant: "",
    message: { ...ids, role: 1, parts: [part], ...rest },
    configuration: undefined,
    metadata: undefined,
  };
}

/** Calls each method as clients of 0.2 and 0.3 write it. */
async function useOldMethods(tour: Tour, curl: Curl): Promise<void> {
  const call = async (method: string, params: object) =>
    (await curl.send("POST /a2a", { jsonrpc: "2.0", id: 1, method, params })).text;
  const said = (text: string, more = {}) => ({
    message: { kind: "message", messageId: `tour-${++count}`, role: "user", parts: [{ kind: "text", text }], ...more },
  });
  let id = "";
  await tour.step("message/send", async () => {
    const text = await call("message/send", said("What is 6 * 7?", { metadata: { agent: "accountant" } }));
    expect(text.includes("6 * 7 = 42") && text.includes('"completed"'), text);
    id = /"result":\{"kind":"task","id":"([^"]+)"/.exec(text)?.[1] ?? "";
    return text;
  });
  await tour.step("message/stream", async () => {
    const text = await call("message/stream", said("Count to 5"));
    expect(text.includes('"final":true'), text);
    return `${text.split("data: ").length - 1} events`;
  });
  await tour.step("tasks/get", async () => {
    const text = await call("tasks/get", { id });
    expect(text.includes(id) && text.includes('"completed"'), text);
    return text;
  });
  await tour.step("tasks/cancel", async () => {
    const begun = await call("message/send", { ...said("Count to 500"), configuration: { blocking: false } });
    const [, running = ""] = /"result":\{"kind":"task","id":"([^"]+)"/.exec(begun) ?? [];
    const text = await call("tasks/cancel", { id: running });
    expect(text.includes('"canceled"'), text);
    return text;
  });
  await tour.step("a task that asks, and its answer", async () => {
    const asked = await call("message/send", said("Book a room in Oslo.", { metadata: { agent: "concierge" } }));
    const [, taskId = ""] = /"result":\{"kind":"task","id":"([^"]+)"/.exec(asked) ?? [];
    expect(asked.includes('"input-required"'), asked);
    const text = await call("message/send", said("yes", { taskId }));
    expect(/Room \d+ in Oslo is booked/.test(text), text);
    return text;
  });
}
