import type { Socket } from "node:net";
import type { Exchange } from "../exchange.ts";
import { halfCloseOf } from "./half-close.ts";

/** Sends something that asks for no answer: a connection whose other end is gone breaks by it. */
type Knock = () => void;

const firstWaitMs = 1;
const longestWaitMs = 15_000;

/**
 * Tells when the client of a response leaves before its end. A client that closes and one that only ends its sending side
 * look alike: so something is sent, at growing intervals, and a closed connection breaks by it.
 */
export class ClientPresence {
  readonly #exchange: Pick<Exchange, "request" | "response">;
  readonly #onLeft: () => void;
  #knock: Knock;
  #timer: NodeJS.Timeout | undefined;

  constructor(exchange: Pick<Exchange, "request" | "response">, onLeft: () => void) {
    const { request, response } = exchange;
    this.#exchange = exchange;
    this.#onLeft = onLeft;
    // "102 Processing": all that HTTP has to say before an answer.
    this.#knock = () => response.writeProcessing();
    response.on("close", this.#onClose);
    if (request.socket.readableEnded) this.#askWhetherGone();
    else halfCloseOf(exchange)?.tell(this.#askWhetherGone);
  }

  /** From now on this is what is sent. */
  knockWith(knock: Knock): void {
    this.#knock = knock;
  }

  readonly #onClose = (): void => {
    clearTimeout(this.#timer);
    if (!this.#exchange.response.writableFinished) this.#onLeft();
  };

  readonly #askWhetherGone = (): void => {
    // The connection ends with this answer, which is to say so.
    this.#exchange.response.shouldKeepAlive = false;
    this.#ask(firstWaitMs);
  };

  #ask(waitMs: number): void {
    const { request, response } = this.#exchange;
    if (response.destroyed || response.writableEnded) return;
    if (waitMs > firstWaitMs && hasNoOtherEnd(request.socket)) {
      response.destroy();
      return;
    }
    this.#knock();
    this.#timer = setTimeout(() => this.#ask(Math.min(waitMs * 4, longestWaitMs)), waitMs).unref();
  }
}

/**
 * Whether the system knows already that a TCP connection was reset: a write would only fail by it, which costs several
 * times as much. Once somebody has asked for the address, Node knows it by heart: then it is left to the write.
 */
function hasNoOtherEnd(socket: Socket): boolean {
  const isTcp = socket.localPort !== undefined;
  return isTcp && socket.remoteAddress === undefined;
}
