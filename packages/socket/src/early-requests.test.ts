import { Agent, createLogger, getTextContent } from "@troupe/core";
import type { AgentHooks } from "@troupe/core";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { Server, Socket } from "socket.io";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeNamespace, FakeSocket } from "../test/fake-sockets.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";

type Listener = (...packet: unknown[]) => void;

/** A socket that a client has returned with, to which other functions may listen for all events. */
class ReturnedSocket extends FakeSocket {
  connected = true;
  readonly #anyListeners = new Set<Listener>();

  constructor(id: string, userId: string) {
    super(id, userId, true);
  }

  onAny(listener: Listener): void {
    this.#anyListeners.add(listener);
  }

  offAny(listener: Listener): void {
    this.#anyListeners.delete(listener);
  }

  override receive(name: string, ...args: unknown[]): void {
    for (const listener of this.#anyListeners) listener(name, ...args);
    super.receive(name, ...args);
  }
}

/** A gateway whose users are signed in when the test says so, and the users and inputs of the runs that began. */
function openGateway() {
  const runs: string[] = [];
  const model = new ScriptedModel().respond(() => "Yes.");
  const hooks: AgentHooks = { beforeRun: ({ userId }, input) => void runs.push(`${userId}: ${getTextContent(input)}`) };
  const waiting = new Map<string, PromiseWithResolvers<{ userId: string }>>();
  const namespace = new FakeNamespace(async () => await Promise.resolve([]));
  const { service } = createAgentGateway({
    io: namespace.io as Server,
    agents: { a: new Agent({ name: "a", model, hooks }) },
    logger: createLogger({ level: "silent" }),
    authenticate: async ({ native }: ServiceRequest) => {
      const answer = Promise.withResolvers<{ userId: string }>();
      waiting.set((native as Socket).id, answer);
      return await answer.promise;
    },
  });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const comeBack = (id: string): ReturnedSocket => {
    const socket = new ReturnedSocket(id, "before");
    namespace.emit("connection", socket);
    return socket;
  };
  const signIn = (id: string, userId: string) => waiting.get(id)?.resolve({ userId });
  return { comeBack, signIn, runs };
}

const run = (input: string) => ({ name: "a", input });
const ended = ({ sent }: FakeSocket): number => sent.filter(({ name }) => name === "agent.done").length;

describe("the requests of a recovered socket before its user is signed in", () => {
  it("are all answered then, each once and in their order, past events that the gateway does not know", async () => {
    const { comeBack, signIn, runs } = openGateway();
    const socket = comeBack("s");
    socket.receive("other.event", { input: "x" });
    const answers = ["1", "2", "3"].map(async (input) => await socket.ask("agent.run", run(input)));
    socket.receive("agent.unknown");
    const cancelled = socket.ask("agent.cancel", { runId: "unknown" });
    await new Promise(setImmediate);
    expect([runs, socket.sent]).toEqual([[], []]);
    signIn("s", "ada");

    const ids = (await Promise.all(answers)).map(({ runId }) => runId);
    expect(new Set(ids).size).toBe(3);
    expect(await cancelled).toMatchObject({ code: "not_found" });
    await vi.waitFor(() => expect(ended(socket)).toBe(3));
    expect(runs).toEqual(["ada: 1", "ada: 2", "ada: 3"]);
  });

  it("are answered directly once the user is signed in", async () => {
    const { comeBack, signIn, runs } = openGateway();
    const socket = comeBack("s");
    const early = socket.ask("agent.run", run("early"));
    signIn("s", "ada");
    await early;
    await socket.ask("agent.run", run("late"));
    await vi.waitFor(() => expect(ended(socket)).toBe(2));

    expect(runs).toEqual(["ada: early", "ada: late"]);
  });

  it("are those of their own socket and its user, also if two return at once", async () => {
    const { comeBack, signIn, runs } = openGateway();
    const [one, other] = [comeBack("1"), comeBack("2")];
    const answers = [one.ask("agent.run", run("of one")), other.ask("agent.run", run("of the other"))];
    signIn("2", "bob");
    await answers[1];
    signIn("1", "ada");
    await answers[0];
    await vi.waitFor(() => expect([ended(one), ended(other)]).toEqual([1, 1]));

    expect(runs).toEqual(["bob: of the other", "ada: of one"]);
  });
});
