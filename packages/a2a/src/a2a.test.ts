import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, Team, TroupeError } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import type { ServiceOptions, WebHandler } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { receive, verifyNotification } from "../test/receiver.ts";
import { framesOf, heldAgent, message0, message1, scriptedAgent, textsOf } from "../test/serve-a2a.ts";
import type { Received } from "../test/serve-a2a.ts";
import { notify1, pay, toolCalls } from "../test/serve-push.ts";
import { a2a } from "./a2a.ts";
import type { A2AOptions } from "./server/a2a-options.ts";

const silent = createLogger({ level: "silent" });
const origin = "https://agents.example";
const ada = { "x-user": "ada" };

/** Makes a service of an agent that answers, one that asks first, and one that is held. */
function serviceOf(options: ServiceOptions = {}) {
  const held = heldAgent();
  const agents = {
    helper: scriptedAgent(Array.from({ length: 9 }, () => ({ text: "Good day." }))),
    payer: scriptedAgent([{ toolCalls }, { text: "Paid." }], { tools: [pay] }),
    held: held.agent,
  };
  const service = createService({
    agents,
    logger: silent,
    authenticate: ({ headers }) => {
      const userId = headers.get("x-user");
      if (userId === "eve") throw new TroupeError("unauthorized", "Unknown user.");
      return userId === null || userId === "" ? undefined : { userId };
    },
    ...options,
  });
  onTestFinished(async () => {
    held.release();
    await service.close({ graceMs: 100, drainMs: 100 });
  });
  return { service, held };
}

/** Serves it to web-standard requests, with the protocol below `/a2a`. */
function serve(own: A2AOptions = {}, options: ServiceOptions = {}) {
  const { service, held } = serviceOf(options);
  const handler = createHandler(service, [a2a({ basePath: "/a2a", ...own })]);
  return { service, held, handler, ...callsOf(handler) };
}

type Sent = { path?: string; headers?: Record<string, string>; signal?: AbortSignal };

function callsOf(handler: WebHandler) {
  const get = async (path: string, headers: Record<string, string> = ada) =>
    await handler(new Request(origin + path, { headers }));
  const post = async (body: object | string, { path = "/a2a", headers, signal }: Sent = {}) =>
    await handler(
      new Request(origin + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...ada, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal && { signal }),
      }),
    );
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const call = async (method: string, params: object, sent?: Sent) => {
    const response = await post(rpc(method, params), sent);
    const body = (await response.json()) as { id: unknown; result: Received; error: { code: number; message: string } };
    return { response, ...body };
  };
  const stream = async (method: string, params: object, sent?: Sent) => {
    const response = await post(rpc(method, params), sent);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    return response;
  };
  return { get, post, rpc, call, stream };
}

async function resultsOf(response: Response): Promise<Received[]> {
  return (await Array.fromAsync(framesOf(response))).map((frame) => (frame as { result: Received }).result);
}

const id = (result: Received): string => result.task.id;
const begin = { configuration: { returnImmediately: true } };

describe("A2A over web-standard requests", () => {
  it("has a card of all agents and one of each, for everyone", async () => {
    const { get } = serve();
    for (const path of ["", "/a2a/agents/payer"]) {
      for (const file of ["agent-card.json", "agent.json"]) {
        const response = await get(`${path}/.well-known/${file}`, { "x-user": "eve" });
        expect(response.status).toBe(200);
        const card = (await response.json()) as { url: string; skills: { id: string }[] };
        expect(card.url).toBe(`${origin}${path === "" ? "/a2a" : path}`);
        expect(card.skills.map((skill) => skill.id)).toEqual(path === "" ? ["helper", "payer", "held"] : ["payer"]);
      }
    }
    expect((await get("/a2a")).status).toBe(200);
    expect((await get("/a2a", { accept: "text/html" })).status).toBe(404);
    expect((await get("/a2a/agents/nobody/.well-known/agent-card.json")).status).toBe(404);
    const tag = (await get("/.well-known/agent-card.json")).headers.get("etag") ?? "";
    expect((await get("/.well-known/agent-card.json", { "if-none-match": tag })).status).toBe(304);
  });

  it("answers messages of all versions, gets, lists and cancels tasks", async () => {
    const { call, held } = serve();
    const old = await call("message/send", message0("Hi"));
    expect(old.result).toMatchObject({ kind: "task", status: { state: "completed" } });
    const { result } = await call("SendMessage", message1("Hi"));
    expect(result.task).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });
    expect(result.task.artifacts[0]?.parts).toEqual([{ text: "Good day." }]);
    const got = await call("GetTask", { id: id(result) });
    expect(got.result).toMatchObject({ id: id(result), status: { state: "TASK_STATE_COMPLETED" } });

    const open = await call("SendMessage", { ...message1("Hi"), ...begin }, { path: "/a2a/agents/held" });
    const listed = await call("ListTasks", {});
    expect(listed.result.totalSize).toBe(3);
    const cancelled = await call("CancelTask", { id: id(open.result) });
    expect(cancelled.result).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
    expect(held.aborts()).toBe(1);
    expect((await call("CancelTask", { id: id(result) })).error.code).toBe(-32002);
  });

  it("streams a task, which goes on without its client and is followed again", async () => {
    const { stream, call, held } = serve();
    const events = await resultsOf(await stream("message/stream", message0("Hi")));
    expect(new Set(textsOf(events))).toEqual(new Set(["Good day."]));
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });

    const left = new AbortController();
    const sent = { path: "/a2a/agents/held", signal: left.signal };
    const response = await stream("SendStreamingMessage", message1("Hi"), sent);
    const first = (await framesOf(response).next()).value as { result: Received };
    left.abort();
    const following = await stream("SubscribeToTask", { id: id(first.result) });
    held.release();
    const last = (await resultsOf(following)).at(-1);
    expect(last).toMatchObject({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } });
    const { result } = await call("GetTask", { id: id(first.result) });
    expect(result.artifacts[0]?.parts).toEqual([{ text: "One two." }]);
  });

  it("waits for an answer, which continues the task", async () => {
    const { call } = serve();
    const asked = await call("SendMessage", message1("Pay", { metadata: { agent: "payer" } }));
    expect(asked.result.task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const { result } = await call("SendMessage", message1("yes", { taskId: id(asked.result) }));
    expect(result.task).toMatchObject({ id: id(asked.result), status: { state: "TASK_STATE_COMPLETED" } });
  });

  it("speaks HTTP+JSON, with rules of its own for methods", async () => {
    const { get, post, handler } = serve();
    const sent = await post(message1("Hi"), { path: "/a2a/agents/helper/rest/message:send" });
    const { task } = (await sent.json()) as Received;
    expect(task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(await (await get(`/a2a/rest/tasks/${task.id}`)).json()).toMatchObject({ id: task.id });
    expect(await (await get("/a2a/rest/tasks")).json()).toMatchObject({ totalSize: 1 });
    const streamed = await post(message1("Hi"), { path: "/a2a/rest/message:stream" });
    expect((await Array.fromAsync(framesOf(streamed))).at(-1)).toMatchObject({ statusUpdate: {} });

    const put = await handler(new Request(`${origin}/a2a/rest/message:send`, { method: "PUT", headers: ada }));
    expect([put.status, put.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await put.json()).toMatchObject({ error: { code: 405, status: "UNIMPLEMENTED" } });
    const options = await handler(new Request(`${origin}/a2a/rest/tasks`, { method: "OPTIONS" }));
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, OPTIONS"]);
  });

  it("answers errors in the form of the binding, also those of the service", async () => {
    const { post, call, get } = serve({}, { allowedHosts: ["agents.example"], maxBodyBytes: 1000 });
    const ofRpc = async (response: Response) => {
      const { id: answered, error } = (await response.json()) as { id: unknown; error: { code: number } };
      return [response.status, answered, error.code];
    };
    expect(await ofRpc(await post("{"))).toEqual([200, null, -32700]);
    expect(await ofRpc(await post("{}", { headers: { "content-type": "text/plain" } }))).toEqual([200, null, -32005]);
    expect(await ofRpc(await post("{}", { headers: { origin: "https://evil.example" } }))).toEqual([403, null, -32600]);
    expect(await ofRpc(await post("{}", { headers: { "x-user": "eve" } }))).toEqual([401, null, -32600]);
    expect(await ofRpc(await post("{}", { path: "/a2a/agents/%ff" }))).toEqual([200, null, -32602]);
    expect(await ofRpc(await post(message1("x".repeat(2000))))).toEqual([413, null, -32602]);
    expect((await call("tasks/get", { id: "unknown" })).error.code).toBe(-32001);
    expect((await call("ListTasks", {}, { headers: { "x-user": "" } })).result.totalSize).toBe(0);

    const rest = await get("/a2a/rest/tasks", { "x-user": "eve" });
    expect([rest.status, await rest.json()]).toEqual([
      401,
      { error: expect.objectContaining({ code: 401, status: "UNAUTHENTICATED", message: "Unknown user." }) },
    ]);
    const large = await post(message1("x".repeat(2000)), { path: "/a2a/rest/message:send" });
    expect(large.status).toBe(413);
  });

  it("refuses a host that is not one of the service, in the form of the binding", async () => {
    const { post } = serve({}, { allowedHosts: ["other.example"] });
    const response = await post("{}");
    expect([response.status, await response.json()]).toMatchObject([403, { jsonrpc: "2.0", error: { code: -32600 } }]);
  });

  it("takes bodies of 10 MiB unless the service limits them", async () => {
    const { post } = serve();
    const sent = await post(`{"a":"${"x".repeat(9_000_000)}"}`);
    expect(await sent.json()).toMatchObject({ error: { code: -32600 } });
    const large = await post(`{"a":"${"x".repeat(11_000_000)}"}`);
    expect(await large.json()).toMatchObject({ error: { code: -32602, message: expect.stringContaining("10485760") } });
  });

  it("sends push notifications that are signed with its public keys", async () => {
    const receiver = await receive();
    const { call, handler } = serve({ pushNotifications: { allowPrivateHosts: [receiver.host] } });
    await call("SendMessage", { ...message1("Hi"), ...notify1(receiver.url) });
    const [notified] = await receiver.until(3);
    const keys = createServer((_request, response) => {
      void handler(new Request(`${origin}/.well-known/jwks.json`)).then(async (answer) =>
        response.end(await answer.text()),
      );
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void keys.close());
    await new Promise((resolve) => keys.once("listening", resolve));
    if (notified === undefined) throw new Error("There is no notification.");
    const claims = await verifyNotification(notified, `http://127.0.0.1:${(keys.address() as AddressInfo).port}/`);
    expect(claims).toHaveProperty("request_body_sha256");
  });

  it("serves an extended card to signed-in clients", async () => {
    const extendedCard: A2AOptions["extendedCard"] = ({ principal, protocol }) => {
      return { description: `For ${principal?.userId} over ${protocol}.` };
    };
    const { call } = serve({ extendedCard });
    expect((await call("GetExtendedAgentCard", {})).result).toMatchObject({ description: "For ada over a2a." });
    const refused = await call("GetExtendedAgentCard", {}, { headers: { "x-user": "" } });
    expect(refused.response.status).toBe(401);
  });

  it("ends with its service: open tasks have the grace period, and new ones are refused", async () => {
    const { service, call, held } = serve();
    const open = call("SendMessage", message1("Hi", { metadata: { agent: "held" } }));
    await expect.poll(() => service.servedRuns.size).toBe(1);
    const closing = service.close({ graceMs: 5000 });
    const refused = await call("SendMessage", message1("Hi"));
    expect(refused.error).toMatchObject({ code: -32603 });
    held.release();
    expect((await open).result.task.status.state).toBe("TASK_STATE_COMPLETED");
    await closing;
  });
});

describe("a service that speaks A2A", () => {
  const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [scriptedAgent([])] });

  it("serves its agents before its teams, and no workflows", async () => {
    const { get } = serve({}, { teams: { team } });
    const card = (await (await get("/.well-known/agent-card.json")).json()) as { skills: { id: string }[] };
    expect(card.skills.map((skill) => skill.id)).toEqual(["helper", "payer", "held", "team"]);
  });

  it("needs something to serve, under names of one name space", () => {
    const protocols = [a2a()];
    expect(() => createHandler(createService({}), protocols)).toThrow(
      "a2a needs at least one agent or team by its name.",
    );
    const both = createService({ agents: { team: scriptedAgent([]) }, teams: { team } });
    expect(() => createHandler(both, protocols)).toThrow(expect.objectContaining({ code: "invalid_config" }));
  });

  it("has one set of routes for all its servers, so that notifications have one key", () => {
    const { service } = serviceOf();
    const protocol = a2a({ pushNotifications: true });
    const routes = protocol.routes(service, [protocol]);
    expect(protocol.routes(service, [protocol])).toBe(routes);
    expect(protocol.routes(serviceOf().service, [protocol])).not.toBe(routes);
  });
});
