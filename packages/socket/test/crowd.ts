import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { createAgentGateway } from "../src/create-agent-gateway.ts";
import { FakeNamespace, FakeSocket } from "./fake-sockets.ts";

const maxRunsPerSocket = 2;
const awayMs = 1000;
const silent = createLogger({ level: "error", write: () => undefined });

/** A client: its socket, which may be another one later, and the time at which its connection broke. */
type Client = {
  readonly user: string;
  socket: FakeSocket;
  state: "here" | "away" | "gone";
  brokeAtMs: number;
  /** The requests that it has made and that are not over, each with the run that it has got. */
  readonly open: Set<{ runId?: string }>;
};

/** A call of the model for a run. */
type ModelCall = {
  readonly client: Client | undefined;
  readonly user: string;
  readonly signal: AbortSignal | undefined;
};

/** Clients of one gateway that come, ask, break off, come back and leave. */
export class Crowd {
  readonly #held: HeldCalls;
  readonly #runs: RunService | undefined;
  readonly #namespace: FakeNamespace;
  readonly #gateway: ReturnType<typeof createAgentGateway>;
  readonly #clients: Client[] = [];
  readonly #sockets: FakeSocket[] = [];
  readonly #calls = new Set<ModelCall>();
  readonly #owners = new Map<string, string>();
  #isEnding = false;

  constructor(held: HeldCalls, { isDurable = false } = {}) {
    this.#held = held;
    const elsewhere = async (): Promise<unknown[]> => await held.hold("the other nodes", () => []);
    this.#namespace = new FakeNamespace(elsewhere);
    const model = new ScriptedModel();
    const calls = this.#calls;
    const callOf = this.#callOf;
    model.stream = async function* stream(messages, options) {
      const signal = options?.signal;
      const call = callOf(messages.at(-1)?.content, signal);
      calls.add(call);
      try {
        await held.hold("the model", () => undefined, signal === undefined ? {} : { signal });
        yield { type: "text", text: "Yes." };
        await held.hold("the model's end", () => undefined, signal === undefined ? {} : { signal });
        yield { type: "finish", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } };
      } finally {
        calls.delete(call);
      }
    };
    const agents = { a: new Agent({ name: "a", model }) };
    this.#runs = isDurable ? new RunService({ agents, storage: new InMemoryStorage(), logger: silent }) : undefined;
    this.#gateway = createAgentGateway({
      io: this.#namespace.io,
      agents,
      runs: this.#runs,
      runOptions: async () => await held.hold("runOptions", () => ({})),
      maxRunsPerSocket,
      logger: silent,
    });
  }

  /** Begins to perform durable runs, and returns the scene. */
  async serve(): Promise<Scene> {
    await this.#runs?.serve();
    return this.scene();
  }

  scene(): Scene {
    this.#connect("ann");
    this.#connect("bob");
    return {
      operations: {
        "Ann connects": () => this.#connect("ann"),
        "the first asks": async () => await this.#ask(this.#here[0]),
        "the last asks": async () => await this.#ask(this.#here.at(-1)),
        ...(this.#runs && { "the last attaches": async () => await this.#attach(this.#here.at(-1)) }),
        "a connection breaks": () => this.#breakOff(this.#here[0]),
        "one comes back": () => this.#comeBack(this.#away[0], undefined),
        "another user comes back": () => this.#comeBack(this.#away[0], "eve"),
        "a client leaves": () => this.#leave(this.#here[0]),
      },
      always: () => this.#checkRuns(),
      end: async () => {
        this.#isEnding = true;
        await this.#gateway.close();
        for (const client of this.#clients) this.#leave(client);
        await this.#runs?.close();
      },
      afterwards: () => {
        this.#held.check(this.#gateway.service.servedRuns.size === 0, "the gateway has runs after its end");
        this.#held.check(this.#calls.size === 0, "the model is called after the end");
        const listening = this.#sockets.reduce((sum, { conn }) => sum + conn.listening, 0);
        this.#held.check(listening === 0, "something listens to a connection after the end");
        this.#held.check(this.#namespace.listenerCount("connection") === 0, "the gateway takes connections");
      },
    };
  }

  get #here(): Client[] {
    return this.#clients.filter(({ state }) => state === "here");
  }

  get #away(): Client[] {
    return this.#clients.filter(({ state }) => state === "away");
  }

  readonly #callOf = (content: unknown, signal: AbortSignal | undefined): ModelCall => {
    const [index, user = ""] = String(content).split(" ");
    return { client: this.#clients[Number(index)], user, signal };
  };

  #connect(user: string): void {
    if (this.#isEnding) return;
    const socket = new FakeSocket(`${this.#clients.length}`, user);
    const client: Client = { user, socket, state: "here", brokeAtMs: Infinity, open: new Set() };
    this.#clients.push(client);
    this.#attachSocket(client, socket);
  }

  #attachSocket(client: Client, socket: FakeSocket): void {
    this.#sockets.push(socket);
    socket.onSend = (name, { runId }) => {
      this.#held.check(client.state !== "gone", `a client that is gone gets ${name}`);
      if (runId !== undefined && (name === "agent.done" || name === "agent.error")) this.#endOf(client, runId);
      const owner = runId === undefined ? undefined : this.#owners.get(runId);
      const isOwn = owner === undefined || owner === socket.data.principal.userId;
      this.#held.check(isOwn, `${socket.data.principal.userId} gets ${name} of ${owner}`);
    };
    this.#namespace.emit("connection", socket);
  }

  /** Asks for a run, and counts it until its end. A client with room for it is not refused. */
  async #ask(client: Client | undefined): Promise<void> {
    if (client === undefined) return;
    await this.#have(client, "agent.run", { name: "a", input: `${this.#clients.indexOf(client)} ${client.user}` });
  }

  async #attach(client: Client | undefined): Promise<void> {
    const runId = [...this.#owners].findLast(([, user]) => user === client?.user)?.[0];
    if (client !== undefined && runId !== undefined) await this.#have(client, "agent.attach", { runId });
  }

  async #have(client: Client, event: string, payload: object): Promise<void> {
    const { socket, user } = client;
    const hadRoom = client.open.size < maxRunsPerSocket;
    const own: { runId?: string } = {};
    client.open.add(own);
    const { code, runId } = await socket.ask(event, payload);
    this.#held.check(code !== "rate_limited" || !hadRoom, "a client is refused that has room");
    if (code !== undefined) client.open.delete(own);
    if (runId === undefined || code !== undefined) return;
    this.#owners.set(runId, user);
    // A run is followed once.
    this.#endOf(client, runId);
    if (user === client.user) client.open.add(Object.assign(own, { runId }));
  }

  #endOf(client: Client, runId: string): void {
    for (const each of client.open) if (each.runId === runId) client.open.delete(each);
  }

  #breakOff(client: Client | undefined): void {
    if (client === undefined) return;
    Object.assign(client, { state: "away", brokeAtMs: performance.now() });
    client.socket.conn.emit("close");
    client.socket.receive("disconnect", "transport close");
  }

  #comeBack(client: Client | undefined, other: string | undefined): void {
    if (client === undefined) return;
    const socket = new FakeSocket(client.socket.id, other ?? client.user, true);
    Object.assign(client, { socket, state: "here", brokeAtMs: Infinity });
    // What the one before asked for ends.
    if (other !== undefined && other !== client.user) client.open.clear();
    Object.assign(client, { user: socket.data.principal.userId });
    this.#attachSocket(client, socket);
  }

  #leave(client: Client | undefined): void {
    if (client === undefined || client.state === "gone") return;
    client.state = "gone";
    client.socket.conn.emit("close");
    client.socket.receive("disconnect", "client namespace disconnect");
  }

  /** Runs of a client that is gone, or of the user before, are aborted. Those of others are not. */
  #checkRuns(): void {
    if (this.#runs !== undefined || this.#isEnding) return;
    for (const { client, user, signal } of this.#calls) {
      const mustEnd = hasLeft(client, user);
      const mayEnd = mustEnd || hasBeenAway(client);
      const isEnded = signal?.aborted === true;
      this.#held.check(!mustEnd || isEnded, "a run of one who has left goes on");
      this.#held.check(mayEnd || !isEnded, "a run of one who may come back is ended");
    }
  }
}

function hasLeft(client: Client | undefined, user: string): boolean {
  return client !== undefined && (client.state === "gone" || client.user !== user);
}

function hasBeenAway(client: Client | undefined): boolean {
  return client?.state === "away" && performance.now() - client.brokeAtMs >= awayMs;
}
