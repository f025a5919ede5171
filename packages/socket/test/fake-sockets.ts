import { EventEmitter } from "node:events";
import type { Server } from "socket.io";

type Payload = { readonly runId?: string };

/** A socket of a client as a gateway sees it, without a network. */
export class FakeSocket extends EventEmitter {
  readonly id: string;
  readonly recovered: boolean;
  readonly data: { principal: { userId: string } };
  readonly handshake = { headers: {}, auth: {} };
  readonly conn = new FakeConnection();
  /** The events that the gateway has sent. */
  readonly sent: { readonly name: string; readonly payload: Payload }[] = [];
  onSend: (name: string, payload: Payload) => void = () => undefined;

  constructor(id: string, userId: string, recovered = false) {
    super();
    this.id = id;
    this.recovered = recovered;
    this.data = { principal: { userId } };
  }

  override emit(name: string, payload: Payload): boolean {
    this.sent.push({ name, payload });
    this.onSend(name, payload);
    return true;
  }

  /** Hands the gateway what the client sends, or the end of the connection. */
  receive(name: string, ...args: unknown[]): void {
    super.emit(name, ...args);
  }

  /** Asks for something, and resolves with the acknowledgement. */
  async ask(name: string, payload: object): Promise<Payload & { readonly code?: string }> {
    return await new Promise((resolve) => {
      this.receive(name, payload, resolve);
    });
  }

  disconnect(): void {
    this.receive("disconnect", "server namespace disconnect");
  }
}

class FakeConnection extends EventEmitter {
  readonly transport = new EventEmitter();

  close(): void {
    this.emit("close");
  }

  /** The number of functions that still listen. */
  get listening(): number {
    return this.eventNames().reduce((sum, name) => sum + this.listenerCount(name), 0);
  }
}

/** A namespace of a Socket.IO server with the recovery of connections, without a network. */
export class FakeNamespace extends EventEmitter {
  readonly io = {
    of: () => this,
    opts: { connectionStateRecovery: { maxDisconnectionDuration: 1000 } },
  } as unknown as Pick<Server, "of">;
  readonly #fetchSockets: () => Promise<unknown[]>;

  constructor(fetchSockets: () => Promise<unknown[]>) {
    super();
    this.#fetchSockets = fetchSockets;
  }

  use(): this {
    return this;
  }

  in(): { fetchSockets: () => Promise<unknown[]> } {
    return { fetchSockets: this.#fetchSockets };
  }
}
