/** What goes wrong on the way in one direction. Counts are of this direction of each connection, from its start. */
export type FlowFaults = {
  /** Each piece of data waits so long before it goes on; while it waits, nothing more is read. */
  latencyMs?: number;
  /** Data goes on in writes of at most so many bytes. */
  sliceBytes?: number;
  /** No more than so many bytes go on in a second. */
  bytesPerSecond?: number;
  /** After so many bytes the receiver sees a clean end, and the sender's connection is closed. With 0 the first byte sets it off. */
  cutAfterBytes?: number;
  /** After so many bytes both sides see a reset. With 0 the first byte sets it off. */
  resetAfterBytes?: number;
  /** Nothing goes on, neither data nor an end, until this is lifted; then all of it does. */
  blackHole?: boolean;
  /** Data goes on, but that the sender has gone is kept from the receiver until this is lifted. */
  halfOpen?: boolean;
};

/** What goes wrong in either direction. */
export type ProxyFaults = {
  /** From the client to the target. */
  toTarget?: FlowFaults;
  /** From the target to the client. */
  toClient?: FlowFaults;
};
