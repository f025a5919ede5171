import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { Agent, TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { Principal } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { toTroupeError } from "@troupe/core/kit";
import {
  checkFieldNames,
  findRunnable,
  logRunFailure,
  readMessage,
  readPayloadApiKeys,
  readPrincipal,
  readRunFields,
  readClientObject,
  runFieldNames,
  toPublicEvent,
  toPublicFailure,
} from "@troupe/core/transport";
import { readNdjson } from "@troupe/core/provider";
import type { ServedRun, Service } from "@troupe/core/transport";

/** Returns the user that a token stands for. */
type Authenticate = (token: string) => Principal | undefined;

// #region readme
/** Serves the agents and teams of a service to clients that send one JSON object a line. */
export function serveLines(service: Service, authenticate: Authenticate = () => undefined): Server {
  return createServer((socket) => void new Connection(socket, { service, authenticate }).serve());
}
// #endregion

/** A line that a client has sent: its fields, checked to be an object's. */
type Sent = Readonly<Record<string, unknown>>;

/** Milliseconds after which a client is cut off that reads nothing of what it is sent. */
const longestStallMs = 30_000;
const mostRequests = 16;

class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #authenticate: Authenticate;
  /** Aborts when the client has left. */
  readonly #left = new AbortController();
  #principal: Principal | undefined;
  #requests = 0;

  constructor(socket: Socket, { service, authenticate }: { service: Service; authenticate: Authenticate }) {
    this.#socket = socket.setMaxListeners(0);
    this.#service = service;
    this.#authenticate = authenticate;
    socket.on("error", () => socket.destroy()).once("close", () => this.#left.abort());
  }

  /** Reads requests until the client leaves. One that sends anything but JSON is cut off. */
  async serve(): Promise<void> {
    try {
      for await (const line of readNdjson(this.#socket, { maxEventBytes: 1_048_576 })) void this.#answer(line);
    } catch {
      this.#socket.destroy();
    }
  }

  /** Answers a request with lines that have its id: `started`, events, and one with the `result` or the `error`. */
  async #answer(line: unknown): Promise<void> {
    let id: unknown = null;
    const secrets: string[] = [];
    try {
      const { id: given, do: action, ...fields } = readClientObject(line, "line");
      if (typeof given === "number" || typeof given === "string") id = given;
      if (typeof fields["apiKey"] === "string") secrets.push(fields["apiKey"]);
      if (++this.#requests > mostRequests) throw new TroupeError("rate_limited", "Too many requests at once.");
      await this.#send({ id, result: await this.#perform(String(action), fields, id) });
    } catch (thrown) {
      const error = toTroupeError(thrown);
      logRunFailure(error, this.#service.logger, { secrets });
      await this.#send({ id, error: toPublicFailure(error) });
    } finally {
      this.#requests -= 1;
    }
  }

  async #perform(action: string, fields: Sent, id: unknown): Promise<object> {
    const { servedRuns } = this.#service;
    const caller = this.#principal ?? {};
    const { runId, waitId, answer } = fields;
    switch (action) {
      case "sign-in":
        return this.#signIn(fields);
      case "agent":
      case "team":
        return await this.#run(action, fields, id);
      case "cancel":
        return { status: await servedRuns.cancel(String(runId), caller) };
      case "answer":
        await servedRuns.answer(String(runId), { waitId: String(waitId), answer: answer as Json, caller });
        return {};
      case "attach":
        return await this.#attach(fields, id);
      default:
        throw new TroupeError("invalid_request", "do must be sign-in, agent, team, cancel, attach or answer.");
    }
  }

  #signIn({ token }: Sent): object {
    this.#principal = readPrincipal(this.#authenticate(String(token)), "authenticate(token)");
    return { userId: this.#principal?.userId ?? null };
  }

  async #attach({ runId, after }: Sent, id: unknown): Promise<object> {
    const { run, view } = await this.#service.servedRuns.find(String(runId), this.#principal ?? {});
    run.checkReadable(view);
    return await this.#follow(run, id, typeof after === "string" ? after : undefined);
  }

  async #run(kind: "agent" | "team", { name: given, ...fields }: Sent, id: unknown): Promise<object> {
    const { agents, teams, servedRuns, settings } = this.#service;
    const name = String(given);
    checkFieldNames(Object.keys(fields), runFieldNames, "line");
    const requested = readRunFields(fields, {
      subject: findRunnable(kind === "agent" ? agents : teams, name, kind),
      readInput: readMessage,
      principal: this.#principal,
      bodyUserId: settings.bodyUserId,
      readKeys: (apiKey) => readPayloadApiKeys({ apiKey }),
      where: "line",
    });
    return await this.#follow(await servedRuns.begin(requested, { kind, name }), id);
  }

  /** Sends the events of a run. When the client leaves, the run ends with it, or goes on if it is stored. */
  async #follow(run: ServedRun, id: unknown, after?: string): Promise<object> {
    const { signal } = this.#left;
    const { runId, sessionId } = run;
    const leave = () => run.disconnect();
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      await this.#send({ id, started: { runId, sessionId } });
      for await (const event of run.events({ after })) {
        if (event.type === "failure") throw event.error;
        if (event.type === "end") return await event.readOutput();
        const data = toPublicEvent(event, run);
        if (data !== undefined) await this.#send({ id, event: data, at: event.id });
      }
      return {};
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Sends a line. Waits for a client that is behind, so that the vendor is read no faster, and cuts off one that stops. */
  async #send(line: object): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`)) return;
    const stalled = AbortSignal.timeout(longestStallMs);
    await once(socket, "drain", { signal: AbortSignal.any([this.#left.signal, stalled]) }).catch(() => undefined);
    if (stalled.aborted) socket.destroy();
  }
}

if (import.meta.main) {
  const helper = new Agent({ name: "helper", model: new ScriptedModel("It rains.") });
  const service = createService({ agents: { helper } });
  const server = serveLines(service);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write('{"id":1,"do":"agent","name":"helper","input":"What weather is it?"}\n');
  let text = "";
  for await (const line of readNdjson(client)) {
    const { event, result } = line as { event?: { type: string; text?: string }; result?: { text: string } };
    if (event?.type === "text") text += event.text;
    if (result === undefined) continue;
    assert.deepEqual([text, result.text], ["It rains.", "It rains."]);
    break;
  }
  client.destroy();
  server.close();
  await service.close();
}
