import type { AddressInfo } from "node:net";
import {
  A2AExpressApp as App02,
  DefaultRequestHandler as Handler02,
  InMemoryTaskStore as Store02,
} from "a2a-sdk-02/server";
import { DefaultRequestHandler as Handler03, InMemoryTaskStore as Store03 } from "a2a-sdk-03/server";
import { A2AExpressApp as App03, UserBuilder as User03 } from "a2a-sdk-03/server/express";
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "a2a-sdk-1";
import { AgentEvent, DefaultRequestHandler as Handler1, InMemoryTaskStore as Store1 } from "a2a-sdk-1/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder as User1 } from "a2a-sdk-1/server/express";
import express from "express";
import type { Express, RequestHandler } from "express";
import { onTestFinished } from "vitest";

/** The servers of the official SDKs; of 1.3.0 by both of its bindings, and as a server of 0.3. */
export const sdkServers = ["0.2.5", "0.3.14", "1.3.0", "1.3.0 HTTP+JSON", "1.3.0 as 0.3"] as const;

type SdkServer = (typeof sdkServers)[number];

/** An agent of an SDK that says "Half " and, once it is let go, "done.". */
export type ServedSdk = {
  readonly url: string;
  /** The methods that were called, or the paths behind the endpoint. */
  readonly methods: string[];
  release(): void;
  /** Cuts the connection of the next stream behind its second event. */
  cutNextStream(): void;
  readonly cancels: number;
};

/** The events of a task in the words of 0.3, which each SDK is given in its own. */
type Publish = {
  task(value: object): void;
  status(value: object): void;
  artifact(value: object): void;
  finished(): void;
};

/** Serves an agent with the server of an SDK until the test is over. */
export async function serveSdk(version: SdkServer, streaming: boolean): Promise<ServedSdk> {
  const gate = Promise.withResolvers<void>();
  const methods: string[] = [];
  let [cancels, cuts] = [0, 0];
  const app = express();
  const watch: RequestHandler = (request, response, next) => {
    const { method, path } = request;
    const body: unknown = request.body;
    // The SDK 0.2.5 has a body parser of its own, which is told that it need not read.
    Object.assign(request, { _body: true });
    const called = (body as { method?: string } | undefined)?.method;
    if (method === "POST" || path.includes("/tasks/"))
      methods.push(called ?? `${method} ${path.replace(/[\da-f-]{36}/, "…")}`);
    if (cuts > 0 && method === "POST") cutBehind(response, () => cuts--);
    next();
  };
  app.use(express.json(), watch);
  const server = app.listen(0, "127.0.0.1");
  await new Promise<void>((resolve) => server.once("listening", resolve));
  onTestFinished(async () => {
    gate.resolve();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const execute = async (ids: Ids, publish: Publish): Promise<void> => await answer(ids, publish, gate.promise);
  const cancel = (taskId: string, publish: Publish): void => {
    cancels++;
    publish.status({ taskId, contextId: contexts.get(taskId), status: { state: "canceled" }, final: true });
    publish.finished();
  };
  mount[version](app, { url, streaming, execute, cancel });
  return {
    url,
    methods,
    release: () => gate.resolve(),
    cutNextStream: () => cuts++,
    get cancels() {
      return cancels;
    },
  };
}

type Ids = { taskId: string; contextId: string; userMessage: object };
type Facts = {
  url: string;
  streaming: boolean;
  execute: (ids: Ids, publish: Publish) => Promise<void>;
  cancel: (taskId: string, publish: Publish) => void;
};

const contexts = new Map<string, string>();

async function answer({ taskId, contextId, userMessage }: Ids, publish: Publish, gate: Promise<void>): Promise<void> {
  contexts.set(taskId, contextId);
  const piece = (text: string, append: boolean) => ({
    taskId,
    contextId,
    append,
    artifact: { artifactId: "a", parts: [{ kind: "text", text }] },
  });
  publish.task({
    kind: "task",
    id: taskId,
    contextId,
    status: { state: "working" },
    history: [userMessage],
    artifacts: [],
  });
  publish.artifact(piece("Half ", false));
  await gate;
  publish.artifact(piece("done.", true));
  publish.status({ taskId, contextId, status: { state: "completed" }, final: true });
  publish.finished();
}

type Bus0 = { publish(event: object): void; finished(): void };

function publish0(bus: Bus0): Publish {
  return {
    task: (value) => bus.publish(value),
    status: (value) => bus.publish({ kind: "status-update", ...value }),
    artifact: (value) => bus.publish({ kind: "artifact-update", ...value }),
    finished: () => bus.finished(),
  };
}

function executor0({ execute, cancel }: Facts) {
  return {
    execute: async (ids: Ids, bus: Bus0) => await execute(ids, publish0(bus)),
    cancelTask: async (taskId: string, bus: Bus0) => await Promise.resolve(cancel(taskId, publish0(bus))),
  };
}

function card({ url, streaming }: Facts): object {
  return {
    name: "sdk",
    description: "An agent of an SDK.",
    version: "1.0.0",
    capabilities: { streaming, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    url: `${url}/`,
  };
}

function executor1({ execute, cancel }: Facts) {
  const publishTo = (bus: { publish(event: never): void; finished(): void }): Publish => ({
    task: (value) => bus.publish(AgentEvent.task(Task.fromJSON(to1({ ...value, history: [] }))) as never),
    status: (value) => bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(to1(value))) as never),
    artifact: (value) => bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(to1(value))) as never),
    finished: () => bus.finished(),
  });
  return {
    execute: async (ids: Ids, bus: never) => await execute(ids, publishTo(bus)),
    cancelTask: async (taskId: string, bus: never) => await Promise.resolve(cancel(taskId, publishTo(bus))),
  };
}

/** Converts an event of 0.3 to the JSON of 1.0. */
function to1(value: object): object {
  const text = JSON.stringify(value).replaceAll(/"kind":"(?:text|task)",?/g, "");
  return JSON.parse(
    text.replaceAll(/"state":"(\w+)"/g, (_, state: string) => `"state":"TASK_STATE_${state.toUpperCase()}"`),
  ) as object;
}

function mount1(binding: string, protocolVersion: string) {
  return (app: Express, facts: Facts): void => {
    const path = binding === "JSONRPC" ? "/" : "/rest";
    const declared = { url: facts.url + path, protocolBinding: binding, protocolVersion };
    const own = AgentCard.fromJSON({ ...card(facts), supportedInterfaces: [declared] });
    const requestHandler = new Handler1(own, new Store1(), executor1(facts) as never);
    const options = { requestHandler, userBuilder: User1.noAuthentication, legacyCompat: { enabled: true } };
    app.use(
      "/.well-known/agent-card.json",
      agentCardHandler({ agentCardProvider: requestHandler, legacyCompat: { enabled: true } }),
    );
    app.use(path, (binding === "JSONRPC" ? jsonRpcHandler : restHandler)(options));
  };
}

const mount: Record<SdkServer, (app: Express, facts: Facts) => void> = {
  "0.2.5": (app, facts) => {
    const own = { protocolVersion: "0.2.5", ...card(facts) };
    new App02(new Handler02(own as never, new Store02(), executor0(facts))).setupRoutes(app as never);
  },
  "0.3.14": (app, facts) => {
    const own = { protocolVersion: "0.3.0", ...card(facts) };
    const handler = new Handler03(own as never, new Store03(), executor0(facts));
    new App03(handler, User03.noAuthentication).setupRoutes(app as never);
  },
  "1.3.0": mount1("JSONRPC", "1.0"),
  "1.3.0 HTTP+JSON": mount1("HTTP+JSON", "1.0"),
  "1.3.0 as 0.3": mount1("JSONRPC", "0.3"),
};

/** Destroys the connection of a response that is a stream behind its second event. */
function cutBehind(response: express.Response, onCut: () => void): void {
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  let events = 0;
  response.write = ((...args: unknown[]) => {
    const isStream = String(response.getHeader("content-type")).startsWith("text/event-stream");
    const written = write(...args);
    if (isStream && String(args[0]).includes("data:") && ++events === 2) {
      onCut();
      setImmediate(() => response.socket?.destroy());
    }
    return written;
  }) as typeof response.write;
}
