import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import { sizeInBytes } from "@troupe/core/kit";
import { countedCaller, ownerKey, readPrincipal } from "@troupe/core/transport";
import type { CallerKey, Principal } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import { breakConnection, ConnectionBuffer } from "./connection-buffer.ts";
import type { DropReason } from "./connection-buffer.ts";
import type { ServerEvent } from "./events.ts";
import type { SendBudget } from "./send-budget.ts";

/** Settings of a client, and what it tells the gateway. */
export type ClientSettings = {
  readonly maxRunsPerSocket: number;
  readonly maxBufferedBytes: number;
  /** The bytes that all clients of the gateway may hold. */
  readonly budget: SendBudget;
  readonly logger: Logger;
  /** Called when the last run of the client is over. */
  readonly onIdle: (client: SocketClient) => void;
};

/** One of the runs that a client may have at once: its own, or one that it follows. */
export class RunPlace {
  /** The user who asked for the run. */
  readonly owner: SessionOwner;
  /** Frees the place. */
  readonly end: () => void;
  /** The run that the client follows there. */
  runId?: string;
  #leave: (() => void) | undefined;
  #hasLeft = false;

  constructor(owner: SessionOwner, end: (place: RunPlace) => void) {
    this.owner = owner;
    this.end = () => end(this);
  }

  /** True once the client has left, or another user came back on its connection. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Sets what ends the run, or the following, when the client leaves. Calls it at once if the client has left meanwhile. */
  onLeave(leave: () => void): void {
    this.#leave = leave;
    if (this.#hasLeft) leave();
  }

  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
  }
}

/** A client of the gateway with its socket, which may be another one after a short break of the connection, and its runs. */
export class SocketClient {
  readonly #settings: ClientSettings;
  readonly #places = new Set<RunPlace>();
  #socket: Socket;
  #buffer: ConnectionBuffer;
  #isGone = false;

  constructor(socket: Socket, settings: ClientSettings) {
    this.#settings = settings;
    this.#socket = socket;
    this.#buffer = this.#watch(socket);
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** True once the client has left for good. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** True if no run of the client is under way. */
  get isIdle(): boolean {
    return this.#places.size === 0;
  }

  /** The authenticated user, as the host's middleware set it at `socket.data.principal`. A malformed one throws `internal`. */
  get principal(): Principal | undefined {
    const { principal } = (this.#socket.data ?? {}) as { principal?: unknown };
    return readPrincipal(principal, "socket.data.principal");
  }

  /** True if an event may be sent: the client reads as fast as it is sent to, and the event loop need not turn first. */
  get hasRoom(): boolean {
    return this.#buffer.hasRoom;
  }

  /** Resolves when there may be room for an event, or the client has disconnected. */
  async untilRoom([, payload]: ServerEvent): Promise<void> {
    await this.#buffer.untilRoom(() => sizeInBytes(payload));
  }

  /** Takes a place for a run of the user who is signed in. Throws `rate_limited` if the client has as many as it may. */
  takePlace(): RunPlace {
    const { maxRunsPerSocket, onIdle } = this.#settings;
    this.checkPresent();
    if (this.#places.size >= maxRunsPerSocket) {
      const sentence = `This socket has ${maxRunsPerSocket} runs under way, which is the limit. Wait until one is over, or cancel it.`;
      throw new TroupeError("rate_limited", sentence, { fields: { maxRunsPerSocket } });
    }
    const place = new RunPlace(this.principal ?? {}, (ended) => {
      if (this.#places.delete(ended) && this.#places.size === 0) onIdle(this);
    });
    this.#places.add(place);
    return place;
  }

  /** Ends the following of a run, if there is one: its events would come twice. */
  stopFollowing(runId: string): void {
    for (const place of this.#places) if (place.runId === runId) this.#end(place);
  }

  /** Throws `cancelled` if the client has left. */
  checkPresent(): void {
    if (this.#isGone) throw disconnected;
  }

  /** Sends an event. After a break of the connection that may be short, Socket.IO keeps it until the client is back. */
  send([name, payload]: ServerEvent): void {
    if (!this.#isGone) this.#socket.emit(name, payload);
  }

  /**
   * Takes the socket with which the client is back after a break. Its runs go on, unless they are another user's than the one
   * who is signed in now.
   */
  resume(socket: Socket): void {
    this.#buffer.release();
    this.#socket = socket;
    this.#buffer = this.#watch(socket);
    for (const place of this.#places) if (!this.#isOwn(place)) this.#end(place);
  }

  /** Ends the runs of the client, which has left for good, and the following of those that outlive it. */
  leave(): void {
    this.#isGone = true;
    this.#buffer.release();
    for (const place of this.#places) place.leave();
  }

  /** Closes the connection, once the client has read what was sent. */
  close(): void {
    this.#socket.conn.close();
  }

  #watch(socket: Socket): ConnectionBuffer {
    return new ConnectionBuffer(socket.conn, {
      maxBytes: this.#settings.maxBufferedBytes,
      budget: this.#settings.budget,
      callerOf: () => this.#caller,
      onOverflow: (bytes, reason) => this.#drop(socket, bytes, reason),
    });
  }

  /** The caller that bytes count for: clients without a user are one, since they can be as many as they like. */
  get #caller(): CallerKey {
    return countedCaller(this.#owner ?? {}).key;
  }

  /** The owner of what this client begins. None where what the host left as principal is malformed. */
  get #owner(): SessionOwner | undefined {
    try {
      return this.principal ?? {};
    } catch {
      return undefined;
    }
  }

  #drop(socket: Socket, bufferedBytes: number, reason: DropReason): void {
    const fields = { socketId: socket.id, bufferedBytes, reason };
    this.#settings.logger.warn("A socket was dropped: its client does not read what it is sent.", fields);
    this.leave();
    // Not to be recovered, with runs that have ended without a word.
    socket.disconnect();
    breakConnection(socket.conn);
  }

  #isOwn({ owner }: RunPlace): boolean {
    const own = this.#owner;
    return own !== undefined && ownerKey(own) === ownerKey(owner);
  }

  #end(place: RunPlace): void {
    this.#places.delete(place);
    place.leave();
  }
}

/** One for all: its stack says nothing, and a thousand clients may disconnect at once. */
const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");
