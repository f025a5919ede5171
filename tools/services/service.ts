/** A server that tests talk to. */
export type RunningService = {
  url: string;
  stop: () => Promise<void>;
};

/** How a server of one kind is had when nobody gave the address of a running one. */
export type Service = {
  /** What `REQUIRED_SERVICES` calls it. */
  name: string;
  /** The environment variable that hands tests the address; set beforehand, that server is used. */
  variable: string;
  /**
   * Starts a server of its own, on a free port and with an empty store. What that takes is fetched only when it may be
   * installed; without it, this is a `MissingServer`.
   */
  start: (options: { mayInstall: boolean }) => Promise<RunningService>;
};

/** There is nothing on this machine that could be started; the message says how to mend it. */
export class MissingServer extends Error {}
