import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { Agent, createLogger, TroupeError } from "@troupe/core";
import type { Json, Logger, MessageContent, Runnable } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { toTroupeError } from "@troupe/core/kit";
import {
  checkFieldNames,
  findRunnable,
  logRunFailure,
  readMessage,
  readNdjson,
  readPayloadKeys,
  readPrincipal,
  readRunFields,
  readRunnables,
  readSentObject,
  runFieldNames,
  ServedRuns,
  toPublicChunk,
  toPublicEvent,
  toPublicFailure,
  toPublicOutput,
  toStreamFailure,
} from "@troupe/core/transport";
import type {
  FollowedRun,
  OnDisconnect,
  Principal,
  PublicOutput,
  Registry,
  RequestedRun,
  ServedRunnables,
} from "@troupe/core/transport";

/** Options of {@link serveLines}. */
export type LinesOptions = {
  agents?: Registry<Runnable> | undefined;
  teams?: Registry<Runnable> | undefined;
  /** The service that makes runs durable. */
  runs?: RunService | undefined;
  /** @default "cancel" */
  onDisconnect?: OnDisconnect | undefined;
  /** Returns the user that a token stands for. @default no one can sign in */
  authenticate?: ((token: string) => Principal | undefined) | undefined;
  logger?: Logger | undefined;
};

/** The parts that all connections share. */
type Service = ServedRunnables & {
  readonly runs: ServedRuns;
  readonly onDisconnect: OnDisconnect;
  readonly authenticate: (token: string) => Principal | undefined;
  readonly logger: Logger;
};

// #region readme
/** Serves agents and teams to clients that send one JSON object a line. `runs` goes to a shutdown, which ends them. */
export function serveLines(options: LinesOptions): { server: Server; runs: ServedRuns } {
  const logger = options.logger ?? createLogger({ level: "warn" });
  const agents = readRunnables(options.agents, "agents", { owner: "serveLines" });
  const teams = readRunnables(options.teams, "teams", { owner: "serveLines" });
  const runs = new ServedRuns({ agents, teams }, { durable: options.runs, resumeMs: 60_000, logger });
  const { onDisconnect = "cancel", authenticate = () => undefined } = options;
  const service = { agents, teams, runs, onDisconnect, authenticate, logger };
  return { server: createServer((socket) => void new Connection(socket, service).serve()), runs };
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
  /** Aborts when the client has left. */
  readonly #left = new AbortController();
  #principal: Principal | undefined;
  #requests = 0;

  constructor(socket: Socket, service: Service) {
    this.#socket = socket.setMaxListeners(0);
    this.#service = service;
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
      const { id: given, do: action, ...fields } = readSentObject(line, "line");
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
    const { runs } = this.#service;
    const caller = this.#principal ?? {};
    const { runId, waitId, answer } = fields;
    switch (action) {
      case "sign-in":
        return this.#signIn(fields);
      case "agent":
      case "team":
        return await this.#run(action, fields, id);
      case "cancel":
        return { status: await runs.cancel(String(runId), caller) };
      case "answer":
        await runs.answer(String(runId), { waitId: String(waitId), answer: answer as Json, caller });
        return {};
      case "attach":
        return await this.#attach(fields, id);
      default:
        throw new TroupeError("invalid_request", "do must be sign-in, agent, team, cancel, attach or answer.");
    }
  }

  #signIn({ token }: Sent): object {
    this.#principal = readPrincipal(this.#service.authenticate(String(token)), "authenticate(token)");
    return { userId: this.#principal?.userId ?? null };
  }

  async #attach({ runId, after }: Sent, id: unknown): Promise<object> {
    const { runs } = this.#service;
    const caller = this.#principal ?? {};
    const found = await runs.find(String(runId), caller);
    runs.checkKept(found);
    const position = typeof after === "string" ? after : undefined;
    return await this.#follow({ ...found.run, service: found.service, caller, after: position }, id);
  }

  async #run(kind: "agent" | "team", { name, ...fields }: Sent, id: unknown): Promise<object> {
    const { agents, teams, runs, onDisconnect } = this.#service;
    const subject = findRunnable(kind === "agent" ? agents : teams, String(name), kind);
    checkFieldNames(Object.keys(fields), runFieldNames, "line");
    const requested = readRunFields(fields, {
      subject,
      readInput: readMessage,
      principal: this.#principal,
      bodyUserId: "unverified",
      readKeys: (apiKey) => readPayloadKeys({ apiKey }),
      where: "line",
    });
    const endsWithClient = onDisconnect === "cancel";
    const target = runs.keeperOf({ kind, name: String(name), endsWithClient });
    if (target === undefined) return await this.#runPlain(requested, id);
    const { runId, sessionId } = await runs.accept(requested, target);
    return await this.#follow({ ...target, runId, sessionId, caller: requested.owner }, id);
  }

  /** Runs for this client alone: the run ends with the connection. */
  async #runPlain(
    { subject, input, opts, owner }: RequestedRun<Runnable, MessageContent>,
    id: unknown,
  ): Promise<object> {
    const { signal } = this.#left;
    const run = this.#service.runs.begin({ opts, owner }, { endsWithClient: true, hasLeft: signal.aborted });
    const leave = () => run.disconnect();
    signal.addEventListener("abort", leave);
    try {
      await this.#send({ id, started: { runId: opts.runId, sessionId: opts.sessionId } });
      const stream = subject.stream(input, { ...opts, signal: run.signal });
      for await (const chunk of stream) {
        const event = toPublicChunk(chunk);
        if (event !== undefined) await this.#send({ id, event });
      }
      return toPublicOutput(await stream.output);
    } catch (thrown) {
      throw run.fail(thrown);
    } finally {
      signal.removeEventListener("abort", leave);
      run.end();
    }
  }

  /** Follows a kept run, which goes on without the client. */
  async #follow(run: FollowedRun & { readonly sessionId: string }, id: unknown): Promise<object> {
    const { signal } = this.#left;
    const tail = this.#service.runs.follow(run);
    signal.addEventListener("abort", tail.leave);
    if (signal.aborted) tail.leave();
    try {
      await this.#send({ id, started: { runId: run.runId, sessionId: run.sessionId } });
      const shown = { ...run, isWhole: false };
      for (let event = await tail.next(); event !== undefined; event = await tail.next()) {
        const failure = toStreamFailure(event, shown);
        if (failure !== undefined) throw failure;
        if (event.type === "end") return toPublicOutput(event.output as unknown as PublicOutput);
        const data = toPublicEvent(event, shown);
        if (data !== undefined) await this.#send({ id, event: data, at: event.id });
      }
      return {};
    } finally {
      signal.removeEventListener("abort", tail.leave);
      tail.end();
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
  const { server, runs } = serveLines({ agents: { helper } });
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
  await runs.drain();
  server.close();
}
