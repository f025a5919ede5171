import { TroupeError } from "@troupe/core";
import type { Logger, SessionOwner } from "@troupe/core";
import { sizeInBytes } from "@troupe/core/kit";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { countedCaller, ownerKey } from "@troupe/core/transport";
import type { CallerKey, RequestSource } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import { breakConnection, ConnectionBuffer } from "./connection-buffer.ts";
import type { DropReason } from "./connection-buffer.ts";
import type { ServerEvent } from "./events.ts";
import type { SendBudget } from "./send-budget.ts";
import { principalOf, requestOf } from "./sign-in.ts";

/** The settings of a client, and its callbacks to the gateway. */
export type ClientSettings = {
  readonly maxRunsPerSocket: number;
  readonly maxBufferedBytes: number;
  /** The limit of the bytes that may be held for all clients of the gateway. */
  readonly budget: SendBudget;
  readonly logger: Logger;
  /** Called when a run of the client is over, and its place is free for another run. */
  readonly onFree: (client: SocketClient) => void;
};

/** One of the places for the runs that a client may start or follow at the same time. */
export class RunPlace {
  /** The user who requested the run. */
  readonly owner: SessionOwner;
  /** Gives up this run's place, so that the client may have another run. */
  readonly end: () => void;
  /** The id of the run that the client follows in this place. Set once the client's request was read. */
  runId?: string;
  #leave: (() => void) | undefined;
  #hasLeft = false;

  constructor(owner: SessionOwner, end: (place: RunPlace) => void) {
    this.owner = owner;
    this.end = () => end(this);
  }

  /**
   * True once the client has disconnected, another user has returned on its connection, or the client follows the run
   * again in another place.
   */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /**
   * Sets the function that ends the run, or stops following it, when the client disconnects. Calls it at once if the
   * client has already disconnected.
   */
  onLeave(leave: () => void): void {
    this.#leave = leave;
    if (this.#hasLeft) leave();
  }

  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
  }
}

/**
 * A client of the gateway with its runs and its socket. After a short break of the connection, another socket may
 * replace it.
 */
export class SocketClient implements RequestSource {
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

  /** True once the client has disconnected for good. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** True if the client has no run that it has started or follows. */
  get isIdle(): boolean {
    return this.#places.size === 0;
  }

  /** True if a run is sent to the client. A request that is still being read does not count. */
  get isFollowing(): boolean {
    for (const { runId } of this.#places) if (runId !== undefined) return true;
    return false;
  }

  /** The signed-in user. Throws `internal` for a malformed principal. */
  get principal(): Principal | undefined {
    return principalOf(this.#socket);
  }

  get remoteAddress(): string | undefined {
    return this.#socket.handshake.address;
  }

  toRequest(): ServiceRequest {
    return requestOf(this.#socket);
  }

  /** True if an event may be sent: the client keeps up with reading, and the event loop need not turn first. */
  get hasRoom(): boolean {
    return this.#buffer.hasRoom;
  }

  /** Resolves when there may be room for an event, or the client has disconnected. */
  async untilRoom([, payload]: ServerEvent): Promise<void> {
    await this.#buffer.untilRoom(() => sizeInBytes(payload));
  }

  /**
   * Takes a place for a run of the signed-in user. Throws `rate_limited` if the client has no place left, and
   * `cancelled` if it has disconnected.
   */
  takePlace(): RunPlace {
    const { maxRunsPerSocket, onFree } = this.#settings;
    this.checkPresent();
    if (this.#places.size >= maxRunsPerSocket) {
      const sentence = `This socket has ${maxRunsPerSocket} runs under way, which is the limit. Wait until one is over, or cancel it.`;
      throw new TroupeError("rate_limited", sentence, { fields: { maxRunsPerSocket } });
    }
    const place = new RunPlace(this.principal ?? {}, (ended) => {
      if (this.#places.delete(ended)) onFree(this);
    });
    this.#places.add(place);
    return place;
  }

  /** Stops following a run that the client is about to follow again, because its events would arrive twice. */
  stopFollowing(runId: string): void {
    for (const place of this.#places) if (place.runId === runId) this.#end(place);
  }

  /** Throws `cancelled` if the client has disconnected. */
  checkPresent(): void {
    if (this.#isGone) throw disconnected;
  }

  /** Sends an event. During a short break of the connection, Socket.IO stores it until the client returns. */
  send([name, payload]: ServerEvent): void {
    if (!this.#isGone) this.#socket.emit(name, payload);
  }

  /**
   * Sets the socket with which the client has returned after a break. Its runs continue, unless they belong to a
   * different user than the user who is signed in now.
   */
  resume(socket: Socket): void {
    this.#buffer.release();
    this.#socket = socket;
    this.#buffer = this.#watch(socket);
    for (const place of this.#places) if (!this.#isOwn(place)) this.#end(place);
  }

  /** Ends the runs of a client that has disconnected for good, and stops following runs that outlive it. */
  leave(): void {
    this.#isGone = true;
    this.#buffer.release();
    for (const place of this.#places) place.leave();
  }

  /** Ends every wait for the client to read: the remaining events of its runs are sent at once. */
  sendRest(): void {
    this.#buffer.release();
  }

  /** Closes the connection once the client has read everything. */
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

  /**
   * The caller whose share of the gateway's memory is used by the data held for this client. Clients without a user
   * count together as one caller, because one program can open any number of them.
   */
  get #caller(): CallerKey {
    return countedCaller(this.#owner ?? {}).key;
  }

  /** The owner of this client's runs. Undefined if the host's principal is malformed. */
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
    // The socket is disconnected explicitly, so that Socket.IO does not restore a client whose runs have ended
    // silently.
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

/**
 * One shared error for all disconnected clients: its stack is useless, and a thousand clients may disconnect at once.
 */
const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");
