import { io } from "socket.io-client";
import type { Socket } from "socket.io-client";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

type Payload = Readonly<Record<string, unknown>>;

/** Drives the Socket.IO gateway: all events of clients, and most of those of the server. */
export async function visitSockets(tour: Tour, url: string): Promise<void> {
  tour.begin("Socket.IO, with socket.io-client");
  const socket = io(`${url}/service`, { transports: ["websocket"], forceNew: true, auth: { user: "ada" } });
  const visit = new SocketVisit(socket);
  try {
    await tour.step("agent.run", async () => {
      return await visit.run("agent.run", { name: "assistant", input: "What is the weather in Oslo?" }, /9 °C/);
    });
    await tour.step("team.run", async () => {
      return await visit.run("team.run", { name: "travel-desk", input: "What is the weather in Tokyo?" }, /17 °C/);
    });
    await tour.step("agent.run with an approval, and agent.answer", async () => await visit.book());
    await tour.step("agent.cancel", async () => await visit.cancel());
    await tour.step("agent.attach", async () => await visit.attach());
    await tour.step("a name that is not served", async () => {
      const refused = await visit.ask("agent.run", { name: "nobody", input: "Hi" });
      expect(refused["code"] === "not_found", refused);
      return JSON.stringify(refused);
    });
  } finally {
    socket.disconnect();
  }
}

class SocketVisit {
  readonly #socket: Socket;
  #received: [name: string, payload: Payload][] = [];
  #runId: unknown;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.onAny((name: string, payload: Payload) => this.#received.push([name, payload]));
  }

  async ask(event: string, payload: object): Promise<Payload> {
    return (await this.#socket.timeout(30_000).emitWithAck(event, payload)) as Payload;
  }

  async run(event: string, payload: object, answer: RegExp): Promise<string> {
    this.#received = [];
    const { runId } = await this.ask(event, payload);
    const done = await this.#until("agent.done");
    const names = [...new Set(this.#received.map(([name]) => name))];
    const wanted = ["agent.tool.call", "agent.tool.done", "agent.chunk", "agent.done"];
    const isWhole = wanted.every((name) => names.includes(name));
    expect(isWhole && answer.test(JSON.stringify(done)), { names, done });
    this.#runId = runId;
    return names.join(", ");
  }

  async book(): Promise<string> {
    this.#received = [];
    const { runId } = await this.ask("agent.run", { name: "concierge", input: "Book a room in Paris." });
    const { waitId } = await this.#until("agent.wait");
    const answered = await this.ask("agent.answer", { runId, waitId, answer: { approved: true } });
    const done = JSON.stringify(await this.#until("agent.done"));
    expect(answered["waitId"] === waitId && done.includes("in Paris is booked"), { answered, done });
    return done;
  }

  async cancel(): Promise<string> {
    this.#received = [];
    const { runId } = await this.ask("agent.run", { name: "assistant", input: "Count to 500" });
    await this.#until("agent.chunk");
    await this.ask("agent.cancel", { runId });
    const ended = await this.#until("agent.error");
    expect(ended["code"] === "cancelled", ended);
    return JSON.stringify(ended);
  }

  /** Reads all events of the team's run anew. */
  async attach(): Promise<string> {
    this.#received = [];
    await this.ask("agent.attach", { runId: this.#runId, after: null });
    return JSON.stringify(await this.#until("agent.done"));
  }

  async #until(wanted: string): Promise<Payload> {
    const find = () => this.#received.find(([name]) => name === wanted)?.[1];
    return find() ?? (await new Promise<Payload>((resolve) => void this.#socket.once(wanted, resolve)));
  }
}
