import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isWhole } from "./http-message.ts";

/** Milliseconds within which an answer must end. */
const patienceMs = 20_000;

/** A request on a connection of its own, with the bytes that have come back so far. */
export class ConnectionExchange {
  readonly request: Buffer;
  readonly #pieces: Buffer[] = [];
  readonly #socket;

  constructor(port: number, request: Buffer) {
    this.request = request;
    this.#socket = connect(port, "127.0.0.1").on("error", () => undefined);
    this.#socket.on("data", (piece: Buffer) => this.#pieces.push(piece));
    this.#socket.write(request);
  }

  get answer(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Resolves when the answer contains this text. */
  async contains(text: string): Promise<void> {
    await this.#until(() => this.answer.includes(text), `the text ${JSON.stringify(text)}`);
  }

  /** Resolves when the answer is whole or the service has closed the connection. */
  async end(): Promise<void> {
    await this.#until(() => this.#socket.closed || isWhole(this.request, this.answer), "the end of the answer");
    this.#socket.end();
    if (!this.#socket.closed) await once(this.#socket, "close");
  }

  /** Disconnects, as a client does that does not wait for the rest. */
  leave(): void {
    this.#socket.destroy();
  }

  async #until(isDone: () => boolean, wanted: string): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!isDone()) {
      if (performance.now() > deadline || this.#socket.closed) {
        this.leave();
        throw new Error(`Expected ${wanted} after\n${this.request.toString()}\ngot\n${this.answer.toString()}`);
      }
      await sleep(1);
    }
  }
}
