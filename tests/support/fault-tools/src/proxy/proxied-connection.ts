import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Direction, FaultSwitch } from "./proxy-faults.ts";
import { Flow } from "./flow.ts";
import type { FlowCount, FlowEnd } from "./flow.ts";

/** Address that a proxy connects to. */
export type ProxyTarget = { host: string; port: number };

/**
 * State of a connection. `closed`: both sides ended it. `broken`: one side reset it, or the target refused it. `cut` and
 * `reset`: a fault of the proxy ended it.
 */
export type ConnectionEnd = "open" | "closed" | "broken" | "cut" | "reset";

/** A client's connection through a proxy, with counts of what was passed on. */
export class ProxiedConnection {
  readonly toTarget: FlowCount;
  readonly toClient: FlowCount;
  /** Resolves when both sockets are closed. */
  readonly closed: Promise<unknown>;
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #faults: FaultSwitch;
  readonly #over = new AbortController();
  #end: ConnectionEnd = "open";

  constructor(client: Socket, target: ProxyTarget, faults: FaultSwitch) {
    this.#client = client;
    this.#faults = faults;
    // Half-open, so that the end of one direction does not end the other. Without Nagle's delay, so that slices stay
    // separate.
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

  /** Resets both sides. */
  reset(): void {
    this.#settle("reset");
    this.#client.resetAndDestroy();
    this.#target.resetAndDestroy();
  }

  /** Closes both sides. */
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
    // Further data of the receiver is read and dropped, because unread bytes would turn the clean end into a reset.
    sink.removeAllListeners("data").resume();
  }

  /** Resets the sink of a direction whose source was reset, once no fault hides the reset. */
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
