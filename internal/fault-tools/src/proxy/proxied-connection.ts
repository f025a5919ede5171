import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Direction, FaultSwitch } from "./fault-switch.ts";
import { Flow } from "./flow.ts";
import type { FlowCount, FlowEnd } from "./flow.ts";

/** Where a proxy leads to. */
export type ProxyTarget = { host: string; port: number };

/**
 * How a connection ended. `closed`: both sides ended it. `broken`: one of them reset it, or the target was not there.
 * `cut` and `reset`: the proxy did it.
 */
export type ConnectionEnd = "open" | "closed" | "broken" | "cut" | "reset";

/** One client's connection through a proxy, and what it has carried. */
export class ProxiedConnection {
  readonly toTarget: FlowCount;
  readonly toClient: FlowCount;
  /** Resolves when neither side's socket is left. */
  readonly closed: Promise<unknown>;
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #faults: FaultSwitch;
  readonly #over = new AbortController();
  #end: ConnectionEnd = "open";

  constructor(client: Socket, target: ProxyTarget, faults: FaultSwitch) {
    this.#client = client;
    this.#faults = faults;
    // Half-open, so that the end of one direction is passed on as just that; without delay, so that slices stay slices.
    this.#target = connect({ ...target, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    this.toTarget = this.#flow("toTarget").count;
    this.toClient = this.#flow("toClient").count;
    client.on("error", () => void this.#broke("toTarget"));
    this.#target.on("error", () => void this.#broke("toClient"));
    this.closed = Promise.all([closing(client), closing(this.#target)]).then(() => this.#settle("closed"));
  }

  get end(): ConnectionEnd {
    return this.#end;
  }

  /** Both sides see a reset. */
  reset(): void {
    this.#settle("reset");
    this.#client.resetAndDestroy();
    this.#target.resetAndDestroy();
  }

  /** Both sides' connections are closed without a word. */
  drop(): void {
    this.#settle("cut");
    this.#client.destroy();
    this.#target.destroy();
  }

  #flow(direction: Direction): Flow {
    const [source, sink] = this.#socketsOf(direction);
    const onEnd = (end: FlowEnd): void => this.#flowEnded(end, direction);
    return new Flow({ source, sink, direction, faults: this.#faults, signal: this.#over.signal, onEnd });
  }

  #socketsOf(direction: Direction): [source: Socket, sink: Socket] {
    return direction === "toTarget" ? [this.#client, this.#target] : [this.#target, this.#client];
  }

  #flowEnded(end: FlowEnd, direction: Direction): void {
    const [source, sink] = this.#socketsOf(direction);
    if (end === "reset") return this.reset();
    sink.end();
    if (end === "ended") return;
    this.#settle("cut");
    source.destroy();
    // What the receiver still says is taken and dropped: unread bytes would turn the clean end into a reset.
    sink.removeAllListeners("data").resume();
  }

  /** The source of a direction was reset: its sink is too, unless a fault keeps it from it. */
  async #broke(direction: Direction): Promise<void> {
    if (this.#end !== "open") return;
    const [, sink] = this.#socketsOf(direction);
    try {
      await this.#faults.lifted(direction, ["blackHole", "halfOpen"], this.#over.signal);
    } catch {
      return;
    }
    this.#settle("broken");
    sink.resetAndDestroy();
  }

  #settle(end: ConnectionEnd): void {
    if (this.#end === "open") this.#end = end;
    this.#over.abort();
  }
}

async function closing(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
}
